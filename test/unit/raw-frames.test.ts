import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { writeFrame } from '#dist/gateway/ws/raw-frames.js';
import { FrameWriter, frameHead } from '#dist/workers/shard/frame-writer.js';
import { connectPair, settled } from '../support/ws-pair.js';

const writer = new FrameWriter();

function frameOf(content: string): Buffer {
  writer.begin(frameHead('a'));
  writer.add(Buffer.from(content));
  return Buffer.from(writer.end(0, new Set(['plain'])).plain as ArrayBuffer);
}

const done = () => undefined;

test('the gateway uses the version of ws whose internals are known', () => {
  const plugin = createRequire(createRequire(import.meta.url).resolve('@fastify/websocket'));
  expect(plugin('ws/package.json').version).toBe('8.23.0');
});

test('a frame is given to the socket as it is, in one write', async () => {
  const { socket, raw, received } = await connectPair();
  const writes: unknown[] = [];
  const write = raw.write.bind(raw);
  raw.write = ((bytes: Buffer, ended: () => void) => {
    writes.push(bytes);
    return write(bytes, ended);
  }) as Socket['write'];
  const frame = frameOf('x'.repeat(70_000));
  const left = new Promise<void>((resolve) => writeFrame(socket, frame, resolve));
  expect(writes).toHaveLength(1);
  expect(writes[0]).toBe(frame);
  await left;
  await settled(socket);
  expect(received).toEqual(['x'.repeat(70_000)]);
});

test.each([false, true])(
  'messages keep their order beside those of ws (which compresses: %s)',
  async (compresses) => {
    const { socket, received } = await connectPair(compresses);
    const sent: string[] = [];
    for (let index = 0; index < 300; index++) {
      const content = `${index} `.repeat(1 + ((index * 7_919) % 5_000));
      sent.push(content);
      if (index % 3 === 0) socket.send(content);
      else writeFrame(socket, frameOf(content), done);
      if (index % 10 === 0) socket.ping();
    }
    await settled(socket);
    expect(received).toEqual(sent);
  },
);

test('nothing is written behind a close frame, and waiting callers are notified', async () => {
  const { socket, raw, received, client } = await connectPair();
  const closed = once(client, 'close');
  writeFrame(socket, frameOf('before'), done);
  socket.close(1001, 'gone');
  const written = raw.bytesWritten;
  await new Promise<void>((resolve) => writeFrame(socket, frameOf('after'), resolve));
  expect(raw.bytesWritten).toBe(written);
  const [code] = await closed;
  expect(code).toBe(1001);
  expect(received).toEqual(['before']);
});

test('a frame for a client that is gone ends', async () => {
  const { socket, client } = await connectPair();
  const closed = once(socket, 'close');
  const reset = new Promise<void>((resolve) => writeFrame(socket, frameOf('x'.repeat(10_000_000)), resolve));
  client.terminate();
  await reset;
  await closed;
  await new Promise<void>((resolve) => writeFrame(socket, frameOf('late'), resolve));
});
