import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { writeFrame } from '#dist/gateway/ws/raw-frames.js';
import { SharedFrame } from '#dist/gateway/ws/shared-frame.js';
import { FreeMemory } from '#dist/workers/free-memory.js';
import { FrameWriter, frameHead } from '#dist/workers/shard/frame-writer.js';
import { Random } from '../support/random.js';
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

test('clients of any speed get exactly what was written, in order, whichever clients leave meanwhile', async () => {
  const random = new Random(42);
  const memory = new FreeMemory();
  const kept = await Promise.all(Array.from({ length: 6 }, () => connectPair()));
  const leaving = await Promise.all(Array.from({ length: 6 }, () => connectPair()));
  const gone = leaving.map(({ socket }) => once(socket, 'close'));
  const pairs = [...kept, ...leaving].map((pair) => ({ ...pair, left: 0 }));
  const contents = Array.from({ length: 400 }, (_, index) =>
    `${index} `.repeat(1 + random.below(index % 4 === 0 ? 40_000 : 500)),
  );
  const sent: string[] = [];
  let written = 0;
  for (const [index, content] of contents.entries()) {
    const shared = new SharedFrame(frameOf(content).buffer as ArrayBuffer, memory);
    for (const pair of pairs) {
      shared.retain();
      writeFrame(pair.socket, shared.bytes, () => {
        pair.left++;
        shared.release();
      });
    }
    written++;
    shared.release();
    sent.push(content);
    // ws sends replies and pings between the frames.
    if (index % 7 === 0) {
      sent.push(`reply ${index}`);
      for (const { socket } of pairs) socket.send(`reply ${index}`);
    }
    if (index % 11 === 0) for (const { socket } of pairs) socket.ping();
    // The first client keeps up, the second pauses until all is written, and the others pause at random.
    for (const { client } of kept.slice(2))
      if (random.below(20) === 0) client[random.below(3) === 0 ? 'resume' : 'pause']();
    if (index === 0) kept[1]?.client.pause();
    if (index % 60 === 59) {
      const { client, socket } = leaving[(index - 59) / 60] ?? leaving[0]!;
      const side = random.below(2) === 0 ? client : socket;
      side.terminate();
    }
    if (random.below(3) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  for (const { client } of kept) client.resume();
  await Promise.all([...kept.map(({ socket }) => settled(socket)), ...gone]);
  for (const { received } of kept) expect(received).toEqual(sent);
  // Each client that left received the beginning of the frames.
  for (const { received } of leaving) expect(received).toEqual(sent.slice(0, received.length));
  expect(pairs.map(({ left }) => left)).toEqual(pairs.map(() => written));
});
