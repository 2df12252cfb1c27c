import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../support/http.js';
import { residentBytes } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

const REQUESTS = 30_000;
const MiB = 1024 * 1024;
/** Round trips of other clients meanwhile: the growth of a service without a bound would show within fewer. */
const OTHERS = 400;

let service: Service;
let clients: Socket[] = [];
beforeAll(async () => {
  // V8's young generation varies by tens of MB, which would hide the measured growth.
  service = await startService({ flags: ['--max-semi-space-size=2'] });
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await service.stop();
});

async function pipeline(path: string): Promise<Socket> {
  const { hostname, port, host } = new URL(service.url);
  const client = connect(Number(port), hostname).pause();
  clients = [...clients, client];
  await once(client, 'connect');
  client.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(REQUESTS));
  return client;
}

describe('a client that sends 30,000 requests and never reads', () => {
  // The kernel buffers all 30,000 small answers: the heap grows as for a client that reads as many.
  it.each([
    ['/openapi.json', 32 * MiB],
    ['/docs/json', 32 * MiB],
    ['/api/system/info', 64 * MiB],
    ['/api/nothing', 64 * MiB],
  ])('costs a bounded memory with %s, and others are answered', async (path, mostBytes) => {
    const api = createApi(service.url, { unchecked: true });
    for (let count = 0; count < OTHERS; count++) await api.get('/openapi.json');
    const before = residentBytes(service.pid);
    await pipeline(path);
    let peak = before;
    for (let count = 0; count < OTHERS; count++) {
      expect((await api.get('/health')).status).toBe(200);
      peak = Math.max(peak, residentBytes(service.pid));
    }
    expect(peak - before).toBeLessThan(mostBytes);
  });

  it('gets each answer once it reads', async () => {
    const client = await pipeline('/health');
    let answers = 0;
    client.setEncoding('latin1').on('data', (text: string) => {
      answers += text.split('HTTP/1.1 200 OK').length - 1;
    });
    // A read may cut a status line in two, which is then not counted.
    client.resume();
    while (answers < REQUESTS - 100) await once(client, 'data');
    expect(client.destroyed).toBe(false);
  });
});
