// A service that takes connections and says nothing, as a process that was stopped does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ClosedError } from '#dist/client/index.js';
import { socketFrom, upgradeHeaders } from '#dist/client/node/socket.js';
import { DEADLINE_MS } from '../support/deadline.js';
import { closeAfterEach, connectTo } from '../support/sdk.js';
import { within } from '../support/service.js';

closeAfterEach();

const ACCEPTED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

/** Starts a server that says only this to each connection; resolves with its URL, and the connections that its clients have open. */
async function saying(text: string): Promise<{ url: string; sockets: ReadonlySet<Socket> }> {
  const sockets = new Set<Socket>();
  // A process that is stopped closes nothing when its client does.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('end', () => sockets.delete(socket));
    socket.once('data', () => socket.write(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${address.port}`, sockets };
}

test('close ends a stream whose WebSocket is not accepted, and its connection', async () => {
  const { url, sockets } = await saying('');
  const client = connectTo({ url, env: {} });
  const next = client.watch().next();
  next.catch(() => undefined);
  await expect.poll(() => sockets.size).toBe(1);
  client.close();
  await expect(within(DEADLINE_MS, next, () => 'the stream goes on')).rejects.toThrow(ClosedError);
  await expect.poll(() => sockets.size).toBe(0);
});

const PROGRAM = `
  import { AutoTerminal } from '#dist/client/index.js';
  const client = AutoTerminal.connect({ url: process.argv[1], env: {} });
  const next = client.watch().next();
  process.stdin.once('data', async () => {
    client.close();
    await next.catch(({ name }) => console.log(name));
    process.stdin.destroy();
  });
`;

test('a program that has closed its client ends, also if the service answers nothing more', async () => {
  const { url, sockets } = await saying(ACCEPTED);
  const program = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, url]);
  onTestFinished(() => void program.kill('SIGKILL'));
  let printed = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = once(program, 'close');
  await expect.poll(() => [...sockets].map(({ bytesWritten }) => bytesWritten)).toEqual([ACCEPTED.length]);
  program.stdin.write('close');
  await expect.poll(() => printed).toBe('ClosedError\n');
  expect(await within(DEADLINE_MS, ended, () => 'the program goes on')).toEqual([0, null]);
});

const PING = Buffer.from([0x89, 0]);
/** Far longer than a busy machine keeps this process, which is both ends, from running. */
const SILENT_MS = 1_500;

/** Opens a WebSocket that is given up after SILENT_MS without a sign of the other end. */
const openTo = (url: string) =>
  socketFrom(request(url, { headers: upgradeHeaders(), agent: false }), SILENT_MS);

test('a WebSocket ends once its service sends no more pings, also if the client sends', async () => {
  const { url, sockets } = await saying(ACCEPTED);
  const wire = await openTo(url);
  const [socket] = sockets;
  const pinging = setInterval(() => socket!.write(PING), SILENT_MS / 30);
  const sending = setInterval(() => wire.send('{}'), SILENT_MS / 30);
  onTestFinished(() => {
    clearInterval(pinging);
    clearInterval(sending);
  });
  const ended = wire.messages[Symbol.asyncIterator]().next();
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  await expect.poll(() => socket!.bytesWritten).toBeGreaterThan(ACCEPTED.length + 60 * PING.length);
  expect(hasEnded).toBe(false);
  clearInterval(pinging);
  expect(await within(DEADLINE_MS, ended, () => 'it goes on')).toMatchObject({ done: true });
});

test('a WebSocket whose messages nobody reads is not taken for silent', async () => {
  const { url, sockets } = await saying(ACCEPTED);
  const wire = await openTo(url);
  const [socket] = sockets;
  const messages = wire.messages[Symbol.asyncIterator]();
  const text = (content: string) => Buffer.from([0x81, content.length, ...Buffer.from(content)]);
  socket!.write(text('first'));
  expect((await messages.next()).value).toBe('first');
  socket!.write(text('later'));
  const begin = performance.now();
  await expect.poll(() => performance.now() - begin).toBeGreaterThan(3 * SILENT_MS);
  expect((await messages.next()).value).toBe('later');
  await messages.return?.();
});
