import { once } from 'node:events';
import { expect, test } from 'vitest';
import { writeFrame } from '#dist/gateway/ws/raw-frames.js';
import { SharedFrame } from '#dist/gateway/ws/shared-frame.js';
import { FreeMemory } from '#dist/workers/free-memory.js';
import { FrameWriter, frameHead } from '#dist/workers/shard/frame-writer.js';
import { createFanOut, frame } from '../support/fan-out.js';
import { connectPair, settled } from '../support/ws-pair.js';

const LARGE = 'x'.repeat(5_000);

test('the memory of a frame is freed once the last client has taken it, and not before', () => {
  const { fanOut, connect } = createFanOut();
  const [one, other] = [connect(), connect()];
  for (const type of ['output', 'resync'] as const) {
    if (type === 'resync') fanOut.deliver({ type: 'interrupted', id: 'a' });
    const event = frame(type, 'a', LARGE);
    const { plain } = event as { plain: ArrayBuffer };
    fanOut.frame(event);
    one.drain();
    expect(plain.byteLength).toBe(LARGE.length);
    other.drain();
    expect(plain.byteLength).toBe(0);
  }
  expect([one.received, other.received]).toEqual([
    [LARGE, LARGE],
    [LARGE, LARGE],
  ]);
});

test('a frame that no client takes is freed at once', () => {
  const event = frame('output', 'a', LARGE);
  createFanOut().fanOut.frame(event);
  expect((event as { plain: ArrayBuffer }).plain.byteLength).toBe(0);
});

test('clients of any speed get the written bytes, though the memory is reused', async () => {
  const [fast, slow, lost] = await Promise.all([connectPair(), connectPair(), connectPair()]);
  const memory = new FreeMemory();
  const writer = new FrameWriter();
  const contents = Array.from({ length: 300 }, (_, index) => `${index} `.repeat(20_000));
  slow.client.pause();
  lost.client.pause();
  const isLost = once(lost.socket, 'close');
  for (const [index, content] of contents.entries()) {
    writer.begin(frameHead('a'));
    writer.add(Buffer.from(content));
    const shared = new SharedFrame(writer.end(0, new Set(['plain'])).plain as ArrayBuffer, memory);
    for (const { socket } of [fast, slow, lost]) {
      shared.retain();
      writeFrame(socket, shared.bytes, () => shared.release());
    }
    shared.release();
    // The connection breaks while frames wait for it.
    if (index === 150) lost.socket.terminate();
    // The wait lets memory that was freed too early be filled again.
    if (index % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await settled(fast.socket);
  slow.client.resume();
  await Promise.all([settled(slow.socket), isLost]);
  expect(fast.received).toEqual(contents);
  expect(slow.received).toEqual(contents);
});
