import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FLEET_STREAM_SILENT_MS, FLEET_STREAM_WINDOW_BYTES } from '../../src/contract/limits.js';
import { AgreementKey } from '../../src/fleet/key-agreement.js';
import { openPacket, PACKET, sealPacket, streamKeys } from '../../src/fleet/streams/stream-cipher.js';
import { isStreamed, streamOf } from '../../src/fleet/streams/stream-routes.js';
import type { StreamEnd } from '../../src/fleet/streams/stream-wire.js';
import { Random } from '../support/random.js';
import { type Ends, streamBetween } from '../support/stream-ends.js';

const [ours, theirs] = [new AgreementKey(), new AgreementKey()];
const keys = streamKeys(ours, theirs.publicKey, 'a stream')!;
const stream = (ends: Ends = {}) => streamBetween(keys, ends);

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setInterval', 'setTimeout', 'clearInterval', 'clearTimeout', 'performance'],
    }),
);
afterEach(() => void vi.useRealTimers());

test('both sides have the same keys, one for each direction', () => {
  const other = streamKeys(theirs, ours.publicKey, 'a stream')!;
  expect(other).toEqual(keys);
  expect(keys.owner.equals(keys.follower)).toBe(false);
  expect(streamKeys(theirs, ours.publicKey, 'another stream')!.owner.equals(keys.owner)).toBe(false);
});

test('a packet is opened as it was sealed; one that was changed, or sealed for another place, is not', () => {
  const packet = sealPacket(keys.owner, PACKET.part, 7, [Buffer.from('one'), Buffer.from(' two')]);
  const opened = openPacket(keys.owner, packet);
  expect([opened?.kind, opened?.number, opened?.content.toString()]).toEqual([PACKET.part, 7, 'one two']);
  expect(openPacket(keys.follower, packet)).toBeUndefined();
  for (let at = 0; at < packet.length; at++) {
    const changed = Uint8Array.from(packet);
    changed[at]! ^= 1;
    expect(openPacket(keys.owner, changed)).toBeUndefined();
  }
  expect(openPacket(keys.owner, packet.subarray(0, 12))).toBeUndefined();
});

describe('over a wire that loses packets', () => {
  test.each([1, 2, 3, 4, 5, 6])('every message comes, once and in order (seed %i)', (seed) => {
    const choices = new Random(seed);
    const random = () => choices.below(1_000) / 1_000;
    let isOpen = true;
    const { served, followed, carry, messages, wire } = stream({ isLost: () => isOpen && random() < 0.2 });
    const sent: string[] = [];
    let done = 0;
    for (let n = 0; n < 100; n++) {
      const text = String.fromCharCode(65 + (n % 26)).repeat(Math.floor(random() ** 4 * 250_000));
      sent.push(text);
      served.send(n % 200, Buffer.from(text), () => done++);
      if (random() < 0.3) carry();
      // A connection that breaks loses the packets under way.
      if (random() < 0.05) {
        wire.toFollower.length = 0;
        wire.toOwner.length = 0;
        served.resume();
        followed.resume();
      }
      vi.advanceTimersByTime(20);
    }
    isOpen = false;
    for (let n = 0; n < 200 && done < sent.length; n++) {
      vi.advanceTimersByTime(600);
      carry();
    }
    expect(messages.map(({ text }) => text.length)).toEqual(sent.map(({ length }) => length));
    expect(messages.map(({ text }) => text).join('')).toBe(sent.join(''));
    expect(messages.map(({ kind }) => kind)).toEqual(sent.map((_, n) => n % 200));
    expect(done).toBe(sent.length);
    followed.close();
  });
});

test('no more is under way than the window, whoever stalls', () => {
  const { served, followed, carry, messages, most } = stream();
  carry();
  let done = 0;
  for (let n = 0; n < 100; n++) served.send(1, Buffer.alloc(100_000), () => done++);
  vi.advanceTimersByTime(10_000);
  expect(most()).toBeLessThan(FLEET_STREAM_WINDOW_BYTES * 1.01);
  expect(done).toBe(0);
  // A reader that takes nothing is sent at most a window.
  carry();
  const before = messages.length;
  followed.hold(FLEET_STREAM_WINDOW_BYTES);
  for (let n = 0; n < 20; n++) {
    vi.advanceTimersByTime(50);
    carry();
  }
  expect((messages.length - before) * 100_000).toBeLessThan(2 * FLEET_STREAM_WINDOW_BYTES);
  followed.hold(0);
  for (let n = 0; n < 100; n++) {
    vi.advanceTimersByTime(50);
    carry();
  }
  expect([messages.length, done]).toEqual([100, 100]);
  followed.close();
});

test('a right that ends lets nothing more through, not even what is sent again', () => {
  let end: StreamEnd | undefined;
  const { served, followed, wire, carry, messages, ends, isClosed } = stream({ refusal: () => end });
  carry();
  served.send(1, Buffer.from('seen'), () => undefined);
  carry();
  served.send(1, Buffer.from('lost'), () => undefined);
  wire.toFollower.length = 0;
  end = { code: 'not-granted', error: 'not granted', needs: 'observe' };
  let isDone = false;
  served.send(1, Buffer.from('hidden'), () => {
    isDone = true;
  });
  followed.resume();
  carry();
  carry();
  expect(messages.map(({ text }) => text)).toEqual(['seen']);
  expect([ends, isDone, isClosed()]).toEqual([[end], true, true]);
});

test('a wish reaches the source however often it is lost, and what the source says comes back', () => {
  let lose = 3;
  const { served, followed, carry, wishes, told } = stream({ isLost: () => lose-- > 0 });
  followed.wish({ n: 1 });
  followed.wish({ n: 2 });
  for (let n = 0; n < 5; n++) {
    vi.advanceTimersByTime(2_100);
    carry();
  }
  expect(wishes.at(-1)).toEqual({ n: 2 });
  served.tell({ about: 2 });
  carry();
  expect(told.at(-1)).toEqual({ about: 2 });
  followed.close();
});

test('a stream whose follower is silent is closed, and one whose owner is silent, or has begun anew, is lost', () => {
  const silent = stream();
  silent.carry();
  vi.advanceTimersByTime(FLEET_STREAM_SILENT_MS + 1);
  expect(silent.served.look()).toBe(false);
  expect(silent.isClosed()).toBe(true);
  expect(silent.ends).toEqual(['lost']);
  let isGone = false;
  const gone = stream({ isGone: () => isGone });
  gone.carry();
  isGone = true;
  vi.advanceTimersByTime(2_001);
  expect(gone.ends).toEqual(['lost']);
});

test('what a machine may open: its table, and nothing that reads differently elsewhere', () => {
  expect(streamOf('/api/terminals/term_1/live')).toMatchObject({
    ...{ liveId: 'term_1', need: { rights: ['observe'], reach: ['term_1'] } },
  });
  expect(streamOf('/api/events')?.need).toEqual({ rights: ['observe'], reach: 'all' });
  expect(streamOf('/api/events?terminals=a,b&terminals=c')?.need.reach).toEqual(['a', 'b', 'c']);
  expect(streamOf('/api/events?terminals=a%26terminals%3Db')?.url).toBe(
    '/api/events?terminals=a%26terminals%3Db',
  );
  expect(streamOf('/api/recordings/rec_1')?.need).toEqual({ rights: ['record'], reach: 'all' });
  for (const url of [
    '/api/terminals/a/b/live',
    '/api/terminals/%61/live',
    '/api/settings',
    '/api/terminals/../stream',
  ])
    expect(streamOf(url)).toBeUndefined();
  expect(isStreamed('GET', '/api/events?types=x')).toBe(true);
  expect(isStreamed('POST', '/api/events')).toBe(false);
  expect(isStreamed('GET', '/api/terminals/a/live')).toBe(false);
});
