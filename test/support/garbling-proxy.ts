import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type Socket, connect as tcp } from 'node:net';
import { afterEach } from 'vitest';

/** A proxy to a service that can send other bytes than the service does. */
export class GarblingProxy {
  readonly #server: Server;
  /** Open connections of clients. */
  readonly #clients = new Set<Socket>();
  /** Open connections of clients that are WebSockets. */
  readonly #streams = new Set<Socket>();
  #isRefusing = false;
  #isMute = false;
  readonly #events = new EventEmitter();

  constructor(target: string) {
    const { hostname, port } = new URL(target);
    this.#server = createServer((client) => {
      if (this.#isRefusing) {
        client.destroy();
        return;
      }
      this.#clients.add(client);
      const service = tcp(Number(port), hostname);
      client.on('error', () => {}).on('close', () => this.#closed(client, service));
      client.on('data', (data) => {
        const isUpgrade = /^upgrade: websocket/im.test(data.toString('latin1'));
        if (isUpgrade) this.#streams.add(client);
        if (isUpgrade) this.#events.emit('asked');
        if (!isUpgrade || !this.#isMute) service.write(data);
      });
      service.on('error', () => {}).pipe(client);
    });
  }

  /** Starts to listen; resolves with the proxy's origin. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('the proxy has no port');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Sends bytes to all WebSockets as if they came from the service. */
  say(bytes: Uint8Array): void {
    for (const stream of this.#streams) stream.write(bytes);
  }

  /** Closes all connections; with `isRefusing`, refuses new ones. */
  cut({ isRefusing = false } = {}): void {
    this.#isRefusing = isRefusing;
    for (const client of this.#clients) client.destroy();
  }

  /** From now on leaves requests for a WebSocket unanswered. */
  mute(): void {
    this.#isMute = true;
  }

  /** Resolves at the next request for a WebSocket. */
  async asked(): Promise<void> {
    await once(this.#events, 'asked');
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #closed(client: Socket, service: Socket): void {
    this.#clients.delete(client);
    this.#streams.delete(client);
    service.destroy();
  }
}

/** Returns a function that makes a proxy, which is closed after the test. */
export function useGarbling(): (target: string) => GarblingProxy {
  const proxies: GarblingProxy[] = [];
  afterEach(() => {
    for (const proxy of proxies.splice(0)) proxy.close();
  });
  return (target) => {
    const proxy = new GarblingProxy(target);
    proxies.push(proxy);
    return proxy;
  };
}

/** Returns a frame as a WebSocket server sends it. */
export function serverFrame(text: string, kind = 1): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 125) throw new Error('the frame is too long for the test');
  return Buffer.concat([Buffer.from([0x80 | kind, payload.length]), payload]);
}
