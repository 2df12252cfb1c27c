import { expect, test } from 'vitest';
import { packCheckpoint, packOutput, packText } from '../../src/workers/shard/checkpoint.js';
import { internals } from '../../src/workers/shard/screen/internals.js';
import { LazyScreen } from '../../src/workers/shard/screen/lazy-screen.js';
import { serializeScreen } from '../../src/workers/shard/screen/serialize.js';
import { plainStream, smallSize } from '../support/plain-streams.js';
import { Random } from '../support/random.js';
import { Bare, type Size, type Step } from '../support/screen-pair.js';

/** `npm run test:long` takes 10,000. */
const SEEDS = Number(process.env.AUTO_TERMINAL_LONG_SEEDS ?? 400);
const FIRST_SEED = Number(process.env.AUTO_TERMINAL_FIRST_SEED ?? 1);

/** What a run was seen to do. */
interface Seen {
  skips: number;
  sleeps: number;
  checkpoints: number;
  rests: number;
  places: number;
}

/** A lazy screen that is worked as a keeper does, with a bare xterm beside it that parses every byte. */
class Pair {
  readonly bare: Bare;
  readonly seen: Seen = { skips: 0, sleeps: 0, checkpoints: 0, rests: 0, places: 0 };
  readonly #scrollback: number;
  readonly #lazy: LazyScreen;
  /** What to feed a fresh screen, and what has come since: held output that was not parsed by then, first. */
  #checkpoint: { stored: Size & { bytes: Uint8Array }; since: Step[] } | undefined;
  #held: Uint8Array[] = [];

  constructor({ scrollback, ...size }: Size & { scrollback: number }) {
    this.#scrollback = scrollback;
    this.bare = new Bare(size, scrollback);
    this.#lazy = this.#create({ ...size, bytes: Buffer.alloc(0) });
  }

  do(step: Step): void {
    this.bare.do(step);
    this.#checkpoint?.since.push(step);
    if (step instanceof Uint8Array) this.#take(this.#lazy, step, true);
    else resize(this.#lazy, step as Size);
  }

  /** Compares the place of the cursor where it is known without parsing. */
  comparePlace(): void {
    const steady = this.#lazy.steadyCursor;
    if (!steady) return;
    const { active, normal } = internals(this.bare.term).buffers;
    expect({ row: active.y, col: active.x, altScreen: active !== normal }).toEqual(steady);
    this.seen.places++;
  }

  /** Compares the screen, and the one that comes from the last checkpoint, with the bare one. */
  compare(): void {
    expect(textOf(drained(this.#lazy))).toBe(this.#expected());
    if (!this.#checkpoint) return;
    const again = this.#create(this.#checkpoint.stored);
    for (const step of this.#checkpoint.since) {
      if (step instanceof Uint8Array) this.#take(again, step, false);
      else resize(again, step as Size);
    }
    expect(textOf(drained(again)), 'from the checkpoint').toBe(this.#expected());
    this.#checkpoint = undefined;
    again.dispose();
  }

  saveSkipped(): void {
    const state = this.#lazy.serializeSkipped();
    if (state === undefined) return;
    const { cols, rows, heldBytes } = this.#lazy;
    const held = Buffer.concat(this.#held);
    this.#checkpoint = {
      stored: { cols, rows, bytes: packText(state) },
      since: [held.subarray(held.length - heldBytes)],
    };
    this.seen.checkpoints++;
  }

  sleep(): void {
    const screen = drained(this.#lazy);
    const { packed, isExact } = packCheckpoint(screen, { detail: 'whole', deflate: true });
    if (!isExact || !screen.isAtRest) return;
    this.#lazy.sleep({ cols: screen.cols, rows: screen.rows, bytes: packed });
    this.seen.sleeps++;
  }

  /** As a quiet terminal does whose screen sleeps. */
  rest(): void {
    const { fed, cols, rows, heldBytes } = this.#lazy;
    if (!fed) return;
    this.#checkpoint = { stored: { cols, rows, bytes: packOutput(fed) }, since: [] };
    const held = Buffer.concat(this.#held);
    const left = Buffer.from(held.subarray(held.length - heldBytes));
    this.#lazy.leave(() => left);
    this.seen.rests++;
  }

  dispose(): void {
    this.bare.dispose();
    this.#lazy.dispose();
  }

  #create(stored: Size & { bytes: Uint8Array }): LazyScreen {
    const fault = (error: unknown) => {
      throw error;
    };
    return new LazyScreen({ scrollback: this.#scrollback, fault }, stored);
  }

  #take(lazy: LazyScreen, bytes: Uint8Array, isSeen: boolean): void {
    for (let at = 0; at < bytes.length; ) {
      const before = lazy.heldBytes;
      const count = lazy.take(bytes.subarray(at));
      if (isSeen && lazy.heldBytes < before + count) this.seen.skips++;
      at += count;
      while (lazy.isDue) lazy.parse(64 * 1024);
    }
    if (isSeen) this.#held = lazy.heldBytes > 0 ? [...this.#held, bytes] : [];
  }

  #expected(): string {
    const { text, losses } = serializeScreen(internals(this.bare.term), true);
    return JSON.stringify({
      text: unnamed(text),
      losses,
      pending: Buffer.from(this.bare.pending()).toString('hex'),
    });
  }
}

function drained(lazy: LazyScreen) {
  lazy.drain();
  while (lazy.isDue) lazy.parse(64 * 1024);
  return lazy.screen;
}

function resize(lazy: LazyScreen, { cols, rows }: Size): void {
  drained(lazy);
  lazy.resize(cols, rows);
}

/** The serializer names links that have no name, anew each time they sleep. */
function unnamed(text: string): string {
  return text.replace(/id=at\d+:*;/g, 'id=;');
}

/** Without the palette, which the bare one has not. */
function textOf(screen: ReturnType<typeof drained>): string {
  const text = screen
    .serialize({ scrollback: true })
    .replace(/^(\x1b\](?:4|1[0-9]);[^\x1b\x07]*(\x07|\x1b\\))*/, '');
  const pending = Buffer.from(screen.pending()).toString('hex');
  return JSON.stringify({ text: unnamed(text), losses: screen.losses({ scrollback: true }), pending });
}

function run(seed: number): Seen {
  const random = new Random(seed);
  const pair = new Pair(smallSize(random));
  try {
    for (const step of plainStream(random)) {
      pair.do(step);
      pair.comparePlace();
      const next = random.below(40);
      if (next === 0) pair.compare();
      else if (next === 1) pair.sleep();
      else if (next < 6) pair.saveSkipped();
      else if (next < 12) pair.rest();
    }
    pair.compare();
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    pair.dispose();
  }
  return pair.seen;
}

test(
  'a screen that parses only what can still be seen is the same as one that parses all',
  () => {
    const seen: Seen = { skips: 0, sleeps: 0, checkpoints: 0, rests: 0, places: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      const { skips, sleeps, checkpoints, rests, places } = run(seed);
      seen.places += places;
      seen.rests += rests;
      seen.skips += skips;
      seen.sleeps += sleeps;
      seen.checkpoints += checkpoints;
    }
    process.stdout.write(`${SEEDS} seeds: ${JSON.stringify(seen)}\n`);
    expect(seen.skips).toBeGreaterThan(SEEDS / 2);
    expect(seen.sleeps).toBeGreaterThan(SEEDS / 10);
    expect(seen.checkpoints).toBeGreaterThan(SEEDS / 10);
  },
  60_000 + 50 * SEEDS,
);

test('so it is in a flood of large pieces', () => {
  const random = new Random(7);
  const pair = new Pair({ cols: 80, rows: 24, scrollback: 1_000 });
  for (let left = 40; left > 0; left--) {
    const line = () =>
      `\x1b[3${random.below(8)}m${'word '.repeat(random.below(30))}${random.of(['\x1b[m', ''])}\r\n`;
    const text = Array.from({ length: 1_500 }, line).join('');
    // As a reader of 64 KiB gets them.
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 65_536) pair.do(bytes.subarray(at, at + 65_536));
    pair.saveSkipped();
  }
  pair.compare();
  pair.dispose();
  expect(pair.seen.skips).toBeGreaterThan(20);
  expect(pair.seen.checkpoints).toBeGreaterThan(20);
});
