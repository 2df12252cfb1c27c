import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sessionOf } from '../support/mcp-raw.js';
import { type Service, startService } from '../support/service.js';

const ROUNDS = 5;

/** A client that requests an answer larger than its connection holds, and reads nothing of the answer. */
async function deafClient(url: string): Promise<Socket> {
  const session = await sessionOf(url);
  const list = Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
  const body = JSON.stringify(list);
  const head = [
    ...['POST /mcp HTTP/1.1', 'Host: localhost', `Mcp-Session-Id: ${session}`],
    ...['Accept: application/json, text/event-stream', 'Content-Type: application/json'],
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  // The service is killed while the connection is open.
  socket.on('error', () => undefined);
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  // The first bytes have come: from here on, the answer is being sent.
  await new Promise((resolve) => socket.once('readable', resolve));
  return socket;
}

test('a service that is killed and started at once has its ports, though clients read no answers', async () => {
  let service: Service = await startService({ mcp: true });
  onTestFinished(() => service.stop());
  const ports = [service.url, service.mcpUrl!].map((url) => new URL(url).port);
  for (let round = 1; round <= ROUNDS; round++) {
    const clients = await Promise.all(Array.from({ length: 3 }, () => deafClient(service.mcpUrl!)));
    await service.kill('SIGKILL');
    const args = ['--port', ports[0]!, '--mcp-port', ports[1]!];
    service = await startService({ mcp: true, home: service.home, args });
    expect(new URL(service.mcpUrl!).port).toBe(ports[1]);
    for (const client of clients) client.destroy();
  }
});
