import { connect, headers, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { unchecked } from '#dist/fleet/signed.js';
import * as subjects from '#dist/fleet/subjects.js';
import type { NkeyUser } from './nats-server.js';

/** Another client of a server that other people run: it receives all messages, and may send under any name. */
export class Stranger {
  readonly wire: NatsConnection;
  /** Received messages, by subject. */
  readonly #heard = new Map<string, Uint8Array[]>();
  readonly #ends: (() => void)[] = [];
  readonly #listeners = new Set<(subject: string, replyTo: string | undefined) => void>();

  private constructor(wire: NatsConnection) {
    this.wire = wire;
    wire.subscribe('at1.>', {
      callback: (error, { subject, data, reply }) => {
        if (error) throw error;
        this.#heard.set(subject, [...this.heard(subject), Uint8Array.from(data)]);
        for (const listener of this.#listeners) listener(subject, reply);
      },
    });
  }

  static async at(port: number, { seed }: NkeyUser): Promise<Stranger> {
    const wire = await connect({
      servers: `127.0.0.1:${port}`,
      authenticator: nkeyAuthenticator(seed),
      // Otherwise the stranger would receive, record and repeat the messages that it repeats.
      noEcho: true,
    });
    const stranger = new Stranger(wire);
    await wire.flush();
    return stranger;
  }

  /** Returns the recorded messages of a subject. */
  heard(subject: string): Uint8Array[] {
    return this.#heard.get(subject) ?? [];
  }

  /** Returns the content of a recorded statement; `n` is its number. */
  static statement(data: Uint8Array): { fleet: string; from: string; hub: string; n: number } {
    return unchecked(data) as { fleet: string; from: string; hub: string; n: number };
  }

  /** Returns a list that grows with each message of a subject from now on. */
  collect(subject: string): Uint8Array[] {
    const found: Uint8Array[] = [];
    this.wire.subscribe(subject, {
      callback: (_error, { data }) => {
        found.push(data);
      },
    });
    return found;
  }

  subjects(): string[] {
    return [...this.#heard.keys()];
  }

  /** Sends messages again and again; returns a function that stops this. */
  repeat(say: () => [subject: string, data: Uint8Array | string][]): () => void {
    const timer = setInterval(() => {
      for (const [subject, data] of say()) this.wire.publish(subject, data);
    }, 100);
    const end = () => clearInterval(timer);
    this.#ends.push(end);
    return end;
  }

  /** Answers each request to a machine as the server does if nobody listens; returns a function that stops this. */
  denyListeners(machineId: string): () => void {
    const prefix = subjects.request(machineId, '', '').replace(/\.\.$/, '.');
    const listener = (subject: string, replyTo: string | undefined) => {
      if (subject.startsWith(prefix) && replyTo !== undefined)
        this.wire.publish(replyTo, '', { headers: headers(503, 'No Responders') });
    };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    for (const end of this.#ends) end();
    return this.wire.close();
  }
}
