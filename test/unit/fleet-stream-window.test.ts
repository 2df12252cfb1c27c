import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  FLEET_PART_BYTES,
  FLEET_STREAM_WINDOW_BYTES,
  MAX_FLEET_GROWN_BYTES,
  MAX_FLEET_STREAM_WINDOW_BYTES,
} from '../../src/contract/limits.js';
import { AgreementKey } from '../../src/fleet/key-agreement.js';
import { openPacket, PACKET, sealPacket, streamKeys } from '../../src/fleet/streams/stream-cipher.js';
import { WindowRoom } from '../../src/fleet/streams/stream-window.js';
import { Random } from '../support/random.js';
import { type Ends, streamBetween } from '../support/stream-ends.js';

const MB = 1e6;
const keys = streamKeys(new AgreementKey(), new AgreementKey().publicKey, 'a stream')!;

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setInterval', 'setTimeout', 'clearInterval', 'clearTimeout', 'performance'],
    }),
);
afterEach(() => void vi.useRealTimers());

/** A stream over a slow wire, with a source that always has more. */
function distant({ tripMs = 50, bytesPerMs = Number.POSITIVE_INFINITY, ...ends }: Distance = {}) {
  const stream = streamBetween(keys, ends);
  const { served, followed, wire, messages } = stream;
  const way = { toOwner: [] as Moving[], toFollower: [] as Moving[] };
  let isFilling = true;
  let isSlow = false;
  let waiting = 0;
  let sent = 0;
  let received = 0;
  let underWay = 0;
  let most = 0;
  /** Time at which the line has sent all packets that it was given. */
  let freeAt = 0;
  const fill = () => {
    while (isFilling && waiting < (isSlow ? 50_000 : 2 * MAX_FLEET_STREAM_WINDOW_BYTES)) {
      const message = Buffer.alloc(50_000, String.fromCharCode(65 + (sent++ % 26)));
      waiting += message.length;
      served.send(1, message, () => {
        waiting -= message.length;
      });
    }
  };
  /** Advances the clock, while the wire carries the packets that are due. */
  const pass = (ms: number) => {
    for (let n = 0; n < ms; n++) {
      fill();
      const now = performance.now();
      for (const packet of wire.toOwner.splice(0)) way.toOwner.push({ at: now + tripMs / 2, packet });
      for (const packet of wire.toFollower.splice(0)) {
        freeAt = Math.max(freeAt, now) + packet.length / bytesPerMs;
        underWay += packet.length;
        most = Math.max(most, underWay);
        way.toFollower.push({ at: freeAt + tripMs / 2, packet });
      }
      vi.advanceTimersByTime(1);
      const isDue = (each: Moving | undefined) => each !== undefined && each.at <= performance.now();
      while (isDue(way.toOwner[0])) served.onPacket(way.toOwner.shift()!.packet);
      while (isDue(way.toFollower[0])) {
        const { packet } = way.toFollower.shift()!;
        underWay -= packet.length;
        followed.onPacket(packet);
      }
      for (const { text } of messages.splice(0)) {
        expect(text === String.fromCharCode(65 + (received % 26)).repeat(50_000)).toBe(true);
        received++;
      }
    }
  };
  return {
    ...{ ...stream, pass, way },
    /** Returns the bytes a second that arrive within the next `ms`. */
    rate: (ms: number) => {
      const before = received;
      pass(ms);
      return ((received - before) * 50_000 * 1_000) / ms;
    },
    mostUnderWay: () => most,
    /** Limits the source to one message at a time from now on. */
    trickle: () => {
      isSlow = true;
    },
    /** Stops the source, and checks that all sent messages have arrived. */
    finish: () => {
      isFilling = false;
      for (let n = 0; n < 100 && received < sent; n++) pass(100);
      expect(received).toBe(sent);
      followed.close();
    },
  };
}

interface Moving {
  at: number;
  packet: Uint8Array;
}

interface Distance extends Ends {
  tripMs?: number;
  bytesPerMs?: number;
}

describe('a window', () => {
  test('grows with the distance up to its bound, so that a stream from far away is as fast as one from near', () => {
    const near = distant({ tripMs: 2, bytesPerMs: 100_000 });
    expect(near.rate(200)).toBeGreaterThan(90 * MB);
    expect(near.served.windowBytes).toBe(FLEET_STREAM_WINDOW_BYTES);
    near.finish();
    const far = distant({ tripMs: 50 });
    far.pass(600);
    expect(far.rate(500)).toBeGreaterThan(60 * MB);
    expect(far.served.windowBytes).toBe(MAX_FLEET_STREAM_WINDOW_BYTES);
    expect(far.mostUnderWay()).toBeLessThan(MAX_FLEET_STREAM_WINDOW_BYTES * 1.01);
    far.finish();
  });

  test('stays as it is where the line is what limits the stream', () => {
    const slow = distant({ tripMs: 50, bytesPerMs: 1_250 });
    slow.pass(5_000);
    expect(slow.rate(5_000)).toBeGreaterThan(1.1 * MB);
    expect(slow.served.windowBytes).toBe(FLEET_STREAM_WINDOW_BYTES);
    expect(slow.mostUnderWay()).toBeLessThan(FLEET_STREAM_WINDOW_BYTES * 1.01);
    slow.followed.close();
  });

  test('does not grow for an owner that does not answer questions by number', () => {
    const old = distant({ tripMs: 50 });
    for (let ms = 0; ms < 800; ms++) {
      old.pass(1);
      for (const moving of old.way.toFollower) moving.packet = withoutAnswer(moving.packet);
    }
    expect(old.served.windowBytes).toBe(FLEET_STREAM_WINDOW_BYTES);
    expect(old.rate(1_000)).toBeGreaterThan(15 * MB);
    old.finish();
  });

  test('shrinks again when less comes, and frees its room for another stream', () => {
    const rooms = { owner: new WindowRoom(), follower: new WindowRoom() };
    const far = distant({ tripMs: 50, rooms });
    far.pass(600);
    expect(far.served.windowBytes).toBe(MAX_FLEET_STREAM_WINDOW_BYTES);
    far.trickle();
    far.pass(8_000);
    expect(far.served.windowBytes).toBe(FLEET_STREAM_WINDOW_BYTES);
    for (const room of [rooms.owner, rooms.follower])
      expect(room.take(Number.POSITIVE_INFINITY)).toBe(MAX_FLEET_GROWN_BYTES);
    far.finish();
  });

  test('that has grown is given back with its stream', () => {
    const rooms = { owner: new WindowRoom(), follower: new WindowRoom() };
    const far = distant({ tripMs: 50, rooms });
    far.pass(600);
    far.finish();
    far.served.close();
    for (const room of [rooms.owner, rooms.follower])
      expect(room.take(Number.POSITIVE_INFINITY)).toBe(MAX_FLEET_GROWN_BYTES);
  });

  test('of one machine all streams together grow by no more than their room', () => {
    const rooms = { owner: new WindowRoom(), follower: new WindowRoom() };
    const all = Array.from({ length: 7 }, () => distant({ tripMs: 50, rooms }));
    for (let n = 0; n < 300; n++) for (const each of all) each.pass(1);
    const total = all.reduce((sum, { served }) => sum + served.windowBytes, 0);
    expect(total).toBeLessThanOrEqual(7 * FLEET_STREAM_WINDOW_BYTES + MAX_FLEET_GROWN_BYTES);
    expect(total).toBeGreaterThan(7 * FLEET_STREAM_WINDOW_BYTES + MAX_FLEET_GROWN_BYTES / 2);
    for (const each of all) each.finish();
  });

  test("is the owner's bound too, whatever the follower says that it takes", () => {
    const stream = streamBetween(keys);
    const { served, wire } = stream;
    for (let n = 0; n < 400; n++) served.send(1, Buffer.alloc(50_000), () => undefined);
    const greedy = { next: 0, limit: Number.MAX_SAFE_INTEGER, isLost: false, asks: false, isClosed: false };
    const want = sealPacket(keys.follower, PACKET.want, 1_000, [Buffer.from(JSON.stringify(greedy))]);
    served.onPacket(want);
    const bytes = wire.toFollower.reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeLessThan(MAX_FLEET_STREAM_WINDOW_BYTES * 1.01);
    served.close();
    stream.followed.close();
  });

  test('ends a stream whose owner sends more than it may', () => {
    const { followed, ends, wire } = streamBetween(keys);
    wire.toOwner.length = 0;
    for (let number = 0; number <= FLEET_STREAM_WINDOW_BYTES / FLEET_PART_BYTES; number++) {
      expect(ends).toEqual([]);
      // The reader of the stream takes nothing.
      followed.hold(number * FLEET_PART_BYTES);
      followed.onPacket(sealPacket(keys.owner, PACKET.last, number, [Buffer.alloc(FLEET_PART_BYTES)]));
    }
    expect(ends).toEqual([expect.objectContaining({ code: 'internal' })]);
  });

  test.each([1, 2, 3, 4])(
    'loses and doubles nothing while it grows and packets are lost (seed %i)',
    (seed) => {
      const random = new Random(seed);
      let isLossy = true;
      const stream = distant({ tripMs: 40, isLost: () => isLossy && random.below(300) === 0 });
      for (let n = 0; n < 60; n++) {
        stream.pass(50);
        if (random.below(15) > 0) continue;
        // A connection that breaks loses the packets under way.
        stream.way.toFollower.length = 0;
        stream.way.toOwner.length = 0;
        stream.served.resume();
        stream.followed.resume();
      }
      isLossy = false;
      stream.finish();
    },
  );
});

/** Returns a state as a release without `answers` sends it, and any other packet unchanged. */
function withoutAnswer(packet: Uint8Array): Uint8Array {
  const opened = packet[0] === PACKET.state ? openPacket(keys.owner, packet) : undefined;
  if (!opened) return packet;
  const { answers: _answers, ...state } = JSON.parse(opened.content.toString()) as { answers?: number };
  return sealPacket(keys.owner, PACKET.state, opened.number, [Buffer.from(JSON.stringify(state))]);
}
