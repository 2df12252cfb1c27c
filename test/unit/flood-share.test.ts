import { describe, expect, it } from 'vitest';
import { FloodShare } from '#dist/workers/pty-host/pty/flood-share.js';

/** What the host reads in one turn of its loop, at most. */
const TURN = 64 * 1024;
/** What floods at once may give in all on two processors, in bytes a millisecond, and how little many may be held to. */
const LEAST = 4_000;
const limitOf = (floods: number) => (floods <= 4 ? 40_000 : 20_000);
/** What a read gives in a flood, and what one gives that has emptied its PTY. */
const [FULL, LITTLE] = [4_096, 100];
/** A flood that gives nothing for so long is over. */
const OVER_MS = 500;
/** In so many turns, of however many PTYs, one gives more than a burst. */
const BURST_TURNS = 3;
/** What one that draws its screen anew gives, and how often. */
const [SCREEN, EACH_MS] = [10_000, 100];

class Host {
  now = 0;
  readonly share = new FloodShare<string>({ turnBytes: TURN, processors: 2, now: () => this.now });

  wait(ms: number): void {
    this.now += ms;
  }

  /** A PTY gives all that it may in this turn, which takes so long; tells that, and for how long it rests. */
  turn(pty: string, count = FULL, tookMs = 0): { bytes: number; rest: number } {
    const bytes = this.share.limit(pty, count);
    this.wait(tookMs);
    return { bytes, rest: this.share.rest(pty, bytes) };
  }

  /** These PTYs have begun to flood. */
  flood(ptys: readonly string[]): void {
    for (let turn = 0; turn < BURST_TURNS; turn++) for (const pty of ptys) this.turn(pty);
  }

  /** One gives a screen, and has no more. */
  draw(pty: string): number {
    return this.share.rest(pty, Math.min(SCREEN, this.share.limit(pty, FULL)));
  }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `pty ${index}`);

describe('a PTY in flood', () => {
  it('never rests while it is alone, and has the whole turn', () => {
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

  it('that is new rests for those that are in flood, however long they have been', () => {
    const host = new Host();
    for (let turn = 0; turn < 1_000; turn++) for (const pty of ['a', 'b']) host.turn(pty);
    host.flood(['c']);
    const { bytes, rest } = host.turn('c');
    expect(rest).toBe((3 * bytes) / limitOf(3));
  });

  it('rests for none of those that were in flood before it', () => {
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
  ])('has the share again of one that %s', (_how, stop) => {
    const host = new Host();
    host.flood(['a', 'b']);
    stop(host);
    expect(host.turn('a')).toEqual({ bytes: TURN, rest: 0 });
  });

  it('counts on for those that read meanwhile, until it has been silent for half a second', () => {
    const host = new Host();
    host.flood(['a', 'b']);
    host.wait(OVER_MS - 1);
    expect(host.turn('a').rest).toBeGreaterThan(0);
  });

  it('counts for as long as it rests, too, which takes longer than that where they are many', () => {
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

it('programs that draw their screens ten times a second never rest, nor does a flood for them', () => {
  const host = new Host();
  host.flood(['flood']);
  for (let second = 0; second < 5; second += EACH_MS / 1_000) {
    for (const pty of names(200)) expect(host.draw(pty)).toBe(0);
    expect(host.turn('flood')).toEqual({ bytes: TURN, rest: 0 });
    host.wait(EACH_MS);
  }
});

it('a flood that goes over into drawing rests no more within two seconds', () => {
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

describe('many floods, where reading takes long since others want the processors,', () => {
  it.each([0.1, 0.5])('rest for as much longer: %d ms for a turn', (ms) => {
    const host = new Host();
    host.flood(names(20));
    const { bytes, rest } = host.turn('pty 0', FULL, ms);
    // A twentieth of the time is theirs, on two processors.
    expect(rest).toBeCloseTo(Math.min((20 * ms) / 0.05, (20 * bytes) / LEAST), 9);
    expect(rest).toBeGreaterThan((20 * bytes) / limitOf(20));
  });

  it('give so much all the same', () => {
    const host = new Host();
    host.flood(names(20));
    const { bytes, rest } = host.turn('pty 0', FULL, 1_000);
    expect(rest).toBe((20 * bytes) / LEAST);
  });

  it('which few do not mind', () => {
    const host = new Host();
    host.flood(names(4));
    const { bytes, rest } = host.turn('pty 0', FULL, 100);
    expect(rest).toBe((4 * bytes) / limitOf(4));
  });
});

/** What a PTY without rest gives, in bytes a millisecond. */
const SPEED = 60_000;
const [SETTLED_MS, MEASURED_MS] = [1_000, 10_000];

/** Bytes a millisecond that each of so many floods gives, reads of which never overlap. */
function simulate(count: number): number[] {
  const host = new Host();
  const floods = names(count).map((name) => ({ name, wakesAt: 0, bytes: 0 }));
  while (host.now < SETTLED_MS + MEASURED_MS) {
    // Who has rested for longest reads next.
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
  it('stay below the limit in all, use most of it, and give alike', () => {
    const rates = simulate(count);
    const sum = rates.reduce((total, rate) => total + rate);
    // A turn of each may fall into the measured time or not.
    const turn = Math.max(TURN / count, 16 * 1024) / MEASURED_MS;
    expect(sum).toBeLessThanOrEqual(limitOf(count) + count * turn);
    expect(sum).toBeGreaterThan(limitOf(count) * 0.6);
    expect(Math.max(...rates) - Math.min(...rates)).toBeLessThanOrEqual(2 * turn);
  });
});
