import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { CUTS, type Ground } from '../client/everywhere/cases.js';
import { freePort } from './free-port.js';
import { createApi } from './http.js';
import { type Service, startService } from './service.js';

/** Returns one file with the cases and the client, as an application's bundler would make it. */
export async function bundleOf(name: 'page' | 'program'): Promise<string> {
  const input = fileURLToPath(new URL(`../client/everywhere/${name}.ts`, import.meta.url));
  const bundle = await rolldown({ input, platform: name === 'page' ? 'browser' : 'node' });
  const { output } = await bundle.generate({ format: 'esm', minify: name === 'page' });
  await bundle.close();
  return output[0].code;
}

/** A service, and everything else that the cases need. The page of its origin may use the service. */
export class EverywhereGround {
  readonly ground: Ground;
  /** Origin of an empty page, with the bundle at `/bundle.js`. */
  readonly origin: string;
  #service: Service;
  #cuts = 0;
  readonly #port: number;
  readonly #servers: Server[] = [];

  private constructor(service: Service, { port, deadPort, pagePort, cutPort }: Record<string, number>) {
    this.#service = service;
    this.#port = port!;
    this.origin = `http://127.0.0.1:${pagePort}`;
    this.ground = {
      url: service.url,
      cuttingUrl: `http://127.0.0.1:${cutPort}`,
      deadUrl: `http://127.0.0.1:${deadPort}`,
      restartUrl: `${this.origin}/restart`,
    };
  }

  static async start(bundle = ''): Promise<EverywhereGround> {
    const port = await freePort();
    const service = await start(port);
    let ground: EverywhereGround | undefined;
    const page = await listening((incoming, answer) => void ground!.#page(incoming, answer, bundle));
    const cutting = await listening((incoming, answer) => void ground!.#cut(incoming, answer));
    const [pagePort, cutPort] = [page, cutting].map((server) => (server.address() as AddressInfo).port);
    ground = new EverywhereGround(service, {
      ...{ port, pagePort: pagePort!, cutPort: cutPort! },
      deadPort: await freePort(),
    });
    ground.#servers.push(page, cutting);
    const { status } = await createApi(service.url).patch('/api/settings', {
      network: { allowedOrigins: [ground.origin] },
    });
    if (status !== 200) throw new Error(`the settings were refused: ${status}`);
    return ground;
  }

  /** Number of answers whose connection was cut. */
  get cuts(): number {
    return this.#cuts;
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) server.closeAllConnections();
    for (const server of this.#servers) server.close();
    await this.#service.stop();
  }

  async #page({ method, url }: IncomingMessage, answer: ServerResponse, bundle: string): Promise<void> {
    if (method === 'POST' && url === '/restart') {
      await this.#service.kill('SIGKILL');
      this.#service = await start(this.#port, this.#service.home);
      answer.end();
    } else if (url === '/bundle.js') answer.setHeader('content-type', 'text/javascript').end(bundle);
    else answer.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>');
  }

  /**
   * Passes a request on; cuts the connection once the service has answered a request with a key, for the first {@link
   * CUTS}.
   */
  async #cut(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method, url: path, headers } = incoming;
    const body = await buffer(incoming);
    const { host } = new URL(this.ground.url);
    const sent = request(this.ground.url + path, { method, headers: { ...headers, host }, agent: false });
    sent.on('error', () => answer.destroy());
    sent.end(body);
    const [received] = (await once(sent, 'response')) as [IncomingMessage];
    if (headers['idempotency-key'] !== undefined && this.#cuts < CUTS) {
      this.#cuts++;
      received.resume();
      answer.destroy();
      return;
    }
    answer.writeHead(received.statusCode!, received.headers);
    received.pipe(answer);
  }
}

function start(port: number, home?: string): Promise<Service> {
  const env = { SHELL: '/bin/bash' };
  return startService({ args: ['--port', String(port)], env, ...(home !== undefined && { home }) });
}

async function listening(
  handler: (incoming: IncomingMessage, answer: ServerResponse) => void,
): Promise<Server> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
