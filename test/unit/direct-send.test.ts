import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ClientQueue } from '#dist/gateway/ws/client-queue.js';
import { loadSendNow, type SendNow } from '#dist/gateway/ws/direct-send.js';
import { writeFrame } from '#dist/gateway/ws/raw-frames.js';
import { SharedFrame } from '#dist/gateway/ws/shared-frame.js';
import { FreeMemory } from '#dist/workers/free-memory.js';
import { FrameWriter, frameHead } from '#dist/workers/shard/frame-writer.js';
import { Random } from '../support/random.js';
import { connectPair, settled } from '../support/ws-pair.js';

const isKnown = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
const loaded = loadSendNow(process.platform, process.arch);
const writer = new FrameWriter();

function bufferOf(content: string): ArrayBuffer {
  writer.begin(frameHead('a'));
  writer.add(Buffer.from(content));
  return writer.end(0, new Set(['plain'])).plain as ArrayBuffer;
}

/** The direct way, with a count of each result. */
function counted() {
  const tries = { whole: 0, short: 0, none: 0 };
  const sendNow: SendNow = (fd, bytes) => {
    const sent = (loaded as SendNow)(fd, bytes);
    tries[sent === bytes.length ? 'whole' : sent > 0 ? 'short' : 'none']++;
    return sent;
  };
  return { sendNow, tries };
}

test('the direct way is available on known platforms; elsewhere the reason is returned', () => {
  expect(loadSendNow('darwin', 'arm64')).toEqual({
    missing: 'the C library of darwin on arm64 is not supported',
  });
  expect(typeof loaded).toBe(isKnown ? 'function' : 'object');
});

test.each(isKnown ? ['direct', 'streams'] : ['streams'])(
  'clients of any speed get exactly what was written, in order, whichever clients leave meanwhile (%s)',
  async (way) => {
    const random = new Random(42);
    const { sendNow, tries } = counted();
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
      const shared = new SharedFrame(bufferOf(content), memory);
      for (const pair of pairs) {
        shared.retain();
        const left = () => {
          pair.left++;
          shared.release();
        };
        if (writeFrame(pair.socket, shared.bytes, left, way === 'direct' ? sendNow : undefined)) left();
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
      // The first keeps up, the second pauses until all is written, the others pause at random.
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
    // The clients that left got a beginning of it.
    for (const { received } of leaving) expect(received).toEqual(sent.slice(0, received.length));
    expect(pairs.map(({ left }) => left)).toEqual(pairs.map(() => written));
    if (way === 'direct') {
      expect(tries.whole).toBeGreaterThan(contents.length / 2);
      expect(tries.short).toBeGreaterThan(0);
    }
  },
);

test.runIf(isKnown)('a descriptor that is closed, or has queued bytes, is left alone', async () => {
  const { sendNow, tries } = counted();
  const frame = Buffer.from(bufferOf('x'.repeat(100_000)));
  const ended: Array<Promise<void>> = [];
  const write = (socket: Parameters<typeof writeFrame>[0]) => {
    ended.push(
      new Promise((resolve) => {
        if (writeFrame(socket, frame, resolve, sendNow)) resolve();
      }),
    );
  };
  const [waiting, closing, destroyed] = await Promise.all([connectPair(), connectPair(), connectPair()]);
  waiting.client.pause();
  while (waiting.raw.writableLength === 0) write(waiting.socket);
  const triedBefore = { ...tries };
  write(waiting.socket);
  closing.socket.close(1001, 'gone');
  write(closing.socket);
  // Its number is free from here on.
  destroyed.raw.destroy();
  write(destroyed.socket);
  expect(tries).toEqual(triedBefore);
  waiting.client.resume();
  await Promise.all(ended);
});

test.runIf(isKnown)('a broken connection is left for the stream to detect', async () => {
  const { socket, client } = await connectPair();
  const closed = once(socket, 'close');
  const frame = Buffer.from(bufferOf('x'.repeat(1_000)));
  const broken: SendNow = () => 0;
  client.terminate();
  await new Promise<void>((resolve) => {
    if (writeFrame(socket, frame, resolve, broken)) resolve();
  });
  await closed;
  expect((loaded as SendNow)(-1, frame)).toBe(0);
});

test('a queue counts bytes sent at once as sent, and frees their frame', () => {
  const buffer = bufferOf('x'.repeat(5_000));
  const size = buffer.byteLength;
  const queue = new ClientQueue({
    send: () => true,
    maxBytes: 10,
    reservedBytes: 1,
    drainedBytes: 1,
    messageBytes: 0,
    onDrained: () => expect.unreachable(),
    onOverflow: () => expect.unreachable(),
  });
  const shared = new SharedFrame(buffer, new FreeMemory());
  expect(queue.offer(shared)).toBe(true);
  expect(queue).toMatchObject({ queued: 0, sent: size, messages: 1 });
  shared.release();
  expect(buffer.byteLength).toBe(0);
});
