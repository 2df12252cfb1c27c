import { describe, expect, it } from 'vitest';
import { FloodShare } from '#dist/workers/pty-host/pty/flood-share.js';

/** Most bytes that the host reads in one turn of its loop. */
const TURN = 64 * 1024;
/** Lowest limit of all floods together on two processors, in bytes a millisecond; `limitOf` returns the highest. */
const LEAST = 4_000;
const limitOf = (floods: number) => (floods <= 4 ? 40_000 : 20_000);
/** Bytes of a read during a flood, and of a read that empties its PTY. */
const [FULL, LITTLE] = [4_096, 100];
/** Time without output after which a flood is over. */
const OVER_MS = 500;
/** Full turns with which a PTY gives more than a burst, however many PTYs there are. */
const BURST_TURNS = 3;
/** Bytes of a redrawn screen, and how often a program redraws it. */
const [SCREEN, EACH_MS] = [10_000, 100];

class Host {
  now = 0;
  readonly share = new FloodShare<string>({ turnBytes: TURN, processors: 2, now: () => this.now });

  wait(ms: number): void {
    this.now += ms;
  }

  /** Reads all that the PTY may give in this turn of `tookMs`; returns the bytes, and the length of the PTY's rest. */
  turn(pty: string, count = FULL, tookMs = 0): { bytes: number; rest: number } {
    const bytes = this.share.limit(pty, count);
    this.wait(tookMs);
    return { bytes, rest: this.share.rest(pty, bytes) };
  }

  /** Makes these PTYs begin to flood. */
  flood(ptys: readonly string[]): void {
    for (let turn = 0; turn < BURST_TURNS; turn++) for (const pty of ptys) this.turn(pty);
  }

  /** Reads a screen from a PTY that has no more; returns the length of the PTY's rest. */
  draw(pty: string): number {
    return this.share.rest(pty, Math.min(SCREEN, this.share.limit(pty, FULL)));
  }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `pty ${index}`);

describe('a PTY in flood', () => {
  it('never rests while it is alone, and gets the whole turn', () => {
    const host = new Host();
    const turns = Array.from({ length: 1_000 }, () => {
      host.wait(1);
      return host.turn('a');
    });
    expect(new Set(turns.map(({ bytes }) => bytes))).toEqual(new Set([TURN]));
    expect(new Set(turns.map(({ rest }) => rest))).toEqual(new Set([0]));
  });

  it('shares the turn and the limit with another', () => {
    const host = new Host();
    host.flood(['a', 'b']);
    const shared = { bytes: TURN / 2, rest: TURN / limitOf(2) };
    expect(host.turn('b')).toEqual(shared);
    expect(host.turn('a')).toEqual(shared);
  });

  it('that is new rests for those in flood already, however long they have been', () => {
    const host = new Host();
    for (let turn = 0; turn < 1_000; turn++) for (const pty of ['a', 'b']) host.turn(pty);
    host.flood(['c']);
    const { bytes, rest } = host.turn('c');
    expect(rest).toBe((3 * bytes) / limitOf(3));
  });

  it('rests for no PTY that was in flood before it', () => {
    const host = new Host();
    for (const pty of names(100)) {
      expect(host.turn(pty)).toEqual({ bytes: TURN, rest: 0 });
      host.wait(OVER_MS);
    }
  });

  it.each<[string, (host: Host) => void]>([
    ['runs dry', (host) => host.turn('b', LITTLE)],
    ['is gone', (host) => host.share.leave('b')],
    ['is silent', (host) => host.wait(2 * OVER_MS)],
  ])('gets back the share of another that %s', (_how, stop) => {
    const host = new Host();
    host.flood(['a', 'b']);
    stop(host);
    expect(host.turn('a')).toEqual({ bytes: TURN, rest: 0 });
  });

  it('counts until it has been silent for half a second, so that others rest for it meanwhile', () => {
    const host = new Host();
    host.flood(['a', 'b']);
    host.wait(OVER_MS - 1);
    expect(host.turn('a').rest).toBeGreaterThan(0);
  });

  it('counts while it rests, too, which takes longer with many floods', () => {
    const host = new Host();
    const many = names(2_000);
    host.flood(many);
    const { bytes, rest } = host.turn(many[0]!);
    expect([bytes, rest]).toEqual([16 * 1024, (many.length * bytes) / limitOf(many.length)]);
    host.wait(rest);
    expect(rest).toBeGreaterThan(OVER_MS);
    expect(host.turn(many[0]!)).toEqual({ bytes, rest });
  });
});

it('a PTY that prints little never rests beside floods, and they do not rest for it', () => {
  const host = new Host();
  host.flood(names(20));
  expect(host.turn('little', LITTLE)).toEqual({ bytes: LITTLE, rest: 0 });
  const { bytes, rest } = host.turn('pty 0');
  expect(rest).toBe((20 * bytes) / limitOf(20));
});

it('programs that redraw their screens ten times a second never rest, nor does a flood for them', () => {
  const host = new Host();
  host.flood(['flood']);
  for (let second = 0; second < 5; second += EACH_MS / 1_000) {
    for (const pty of names(200)) expect(host.draw(pty)).toBe(0);
    expect(host.turn('flood')).toEqual({ bytes: TURN, rest: 0 });
    host.wait(EACH_MS);
  }
});

it('a flood that turns into redrawing no longer rests after two seconds', () => {
  const host = new Host();
  for (let turn = 0; turn < 1_000; turn++) for (const pty of ['a', 'b']) host.turn(pty);
  for (let ms = 0; ms < 2_000; ms += EACH_MS) {
    host.wait(EACH_MS);
    host.turn('a');
    host.draw('b');
  }
  expect(host.draw('b')).toBe(0);
  expect(host.turn('a')).toEqual({ bytes: TURN, rest: 0 });
});

describe('many floods, while busy processors slow down reading,', () => {
  it.each([0.1, 0.5])('rest for as much longer: %d ms for a turn', (ms) => {
    const host = new Host();
    host.flood(names(20));
    const { bytes, rest } = host.turn('pty 0', FULL, ms);
    // The floods get a twentieth of the time of two processors.
    expect(rest).toBeCloseTo(Math.min((20 * ms) / 0.05, (20 * bytes) / LEAST), 9);
    expect(rest).toBeGreaterThan((20 * bytes) / limitOf(20));
  });

  it('still give the lowest limit', () => {
    const host = new Host();
    host.flood(names(20));
    const { bytes, rest } = host.turn('pty 0', FULL, 1_000);
    expect(rest).toBe((20 * bytes) / LEAST);
  });

  it('rest no longer if they are few', () => {
    const host = new Host();
    host.flood(names(4));
    const { bytes, rest } = host.turn('pty 0', FULL, 100);
    expect(rest).toBe((4 * bytes) / limitOf(4));
  });
});

/** Bytes a millisecond that a PTY gives without rests. */
const SPEED = 60_000;
const [SETTLED_MS, MEASURED_MS] = [1_000, 10_000];

/** Bytes a millisecond that each of `count` floods gives; reads never overlap. */
function simulate(count: number): number[] {
  const host = new Host();
  const floods = names(count).map((name) => ({ name, wakesAt: 0, bytes: 0 }));
  while (host.now < SETTLED_MS + MEASURED_MS) {
    // The PTY that woke first reads next.
    const next = floods.reduce((first, flood) => (flood.wakesAt < first.wakesAt ? flood : first));
    host.now = Math.max(host.now, next.wakesAt);
    const { bytes, rest } = host.turn(next.name);
    host.wait(bytes / SPEED);
    next.wakesAt = host.now + rest;
    if (host.now >= SETTLED_MS) next.bytes += bytes;
  }
  return floods.map(({ bytes }) => bytes / MEASURED_MS);
}

describe.each([2, 4, 5, 20, 200])('%i floods at once', (count) => {
  it('stay below the limit together, use most of it, and give alike', () => {
    const rates = simulate(count);
    const sum = rates.reduce((total, rate) => total + rate);
    // The measured time may include another turn of each PTY or not.
    const turn = Math.max(TURN / count, 16 * 1024) / MEASURED_MS;
    expect(sum).toBeLessThanOrEqual(limitOf(count) + count * turn);
    expect(sum).toBeGreaterThan(limitOf(count) * 0.6);
    expect(Math.max(...rates) - Math.min(...rates)).toBeLessThanOrEqual(2 * turn);
  });
});
