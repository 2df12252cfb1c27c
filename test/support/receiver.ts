import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEADLINE_MS } from './deadline.js';
import { within } from './service.js';

/** A request that a receiver of webhooks got. */
export interface Delivery {
  id: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: { type: string; terminalId?: string; timestamp: string; data: Record<string, unknown> };
}

/** Status that a receiver answers with; `hang`: it does not answer. */
export type Reply = number | 'hang';

/** A program that receives webhooks, on a port of its own. */
export class Receiver {
  readonly got: Delivery[] = [];
  /** Chooses each answer. */
  reply: (delivery: Delivery) => Reply = () => 200;
  readonly #server: Server;
  readonly #hanging = new Set<ServerResponse>();
  readonly #waiting = new Set<() => void>();

  private constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        const id = String(request.headers['webhook-id']);
        const delivery = { id, headers: request.headers, text, body: JSON.parse(text) };
        this.got.push(delivery);
        const reply = this.reply(delivery);
        if (reply === 'hang') this.#hanging.add(response);
        else response.writeHead(reply, { location: `${this.url}/elsewhere` }).end('answer');
        for (const wake of [...this.#waiting]) wake();
      });
    });
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns the deliveries of a type, the first for each id. */
  of(type: string): Delivery[] {
    const first = new Map<string, Delivery>();
    for (const each of this.got) if (each.body.type === type && !first.has(each.id)) first.set(each.id, each);
    return [...first.values()];
  }

  /** Resolves once the condition holds; it is checked after each request. */
  async until(condition: () => boolean): Promise<void> {
    let wake = () => {};
    const holds = new Promise<void>((resolve) => {
      wake = () => condition() && resolve();
    });
    this.#waiting.add(wake);
    wake();
    await within(DEADLINE_MS, holds, () => `the receiver got ${JSON.stringify(this.got.slice(-5))}`).finally(
      () => this.#waiting.delete(wake),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Verifies a delivery as the specification of Standard Webhooks says, without the service's own code. */
export function isSigned({ headers, text, id }: Delivery, secret: string): boolean {
  const seconds = Number(headers['webhook-timestamp']);
  if (Math.abs(Date.now() / 1_000 - seconds) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = createHmac('sha256', key).update(`${id}.${seconds}.${text}`).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${wanted}`);
}
