import { expect } from 'vitest';
import { packCheckpoint, packOutput, packText } from '../../src/workers/shard/checkpoint.js';
import type { Cursor } from '../../src/workers/shard/read-cursor.js';
import { LazyScreen } from '../../src/workers/shard/screen/lazy-screen.js';
import type { Screen } from '../../src/workers/shard/screen/screen.js';
import { serializeScreen } from '../../src/workers/shard/screen/serialize/serialize.js';
import type { SpareScreen } from '../../src/workers/shard/screen/spare-screen.js';
import { logicalLines } from '../../src/workers/shard/screen/text/lines.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { StoredScreen } from '../../src/workers/shard/stored-screen.js';
import { CountedSpill } from './counted-spill.js';
import { Bare, type Size, type Step } from './screen-pair.js';
import { lossesOf } from './screen-rows.js';

/** Counts of events during a run. */
export interface Seen {
  skips: number;
  sleeps: number;
  checkpoints: number;
  rests: number;
  /** Places that were known without parsing; `tracked` counts the places that were known while output was held. */
  places: number;
  tracked: number;
  lines: number;
  shown: number;
}

export const NOTHING_SEEN: Seen = {
  skips: 0,
  sleeps: 0,
  checkpoints: 0,
  rests: 0,
  places: 0,
  tracked: 0,
  lines: 0,
  shown: 0,
};

/** A lazy screen, driven as a screenActor drives it, beside a bare xterm that parses every byte. */
export class LazyPair {
  readonly bare: Bare;
  readonly seen: Seen = { ...NOTHING_SEEN };
  readonly #scrollback: number;
  readonly #lazy: LazyScreen;
  /**
   * Bytes for a fresh screen, and the steps since. The output that was held at the checkpoint, and not yet parsed, is
   * the first step.
   */
  #checkpoint: { stored: Size & { bytes: Uint8Array }; since: Step[] } | undefined;
  #held: Uint8Array[] = [];
  readonly #spill = new CountedSpill();

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
    this.#lazy.memory?.age();
    while (this.#lazy.memory?.pack());
  }

  /** Compares the state that is known without parsing: the lines with text, and the visible text. */
  compareHeld(spare: SpareScreen): void {
    const held = this.#lazy.heldBytes > 0 ? this.#lazy.heldView : undefined;
    const { active } = internals(this.bare.term).buffers;
    const told = held?.lines;
    if (told) {
      expect(told.lines).toEqual(logicalLines(active));
      const col = Math.min(active.x, this.#lazy.cols - 1);
      expect({ ...this.#place(), col }).toEqual({
        row: this.bare.term.rows - 1,
        col: told.col,
        altScreen: false,
      });
      this.seen.lines++;
    }
    const shown = held?.shownOn(spare);
    if (shown) {
      expect(textOf(shown, false)).toBe(this.#expected(false));
      this.seen.shown++;
    }
  }

  /**
   * Compares the place, if it is known without parsing. From then on the screen follows plain output instead of
   * skipping it.
   */
  comparePlace(): void {
    const place = this.#lazy.findPlace();
    if (!place) return;
    const { bracketedPasteMode: bracketedPaste, applicationCursorKeys: applicationCursor } = internals(
      this.bare.term,
    ).coreService.decPrivateModes;
    expect(place).toEqual({ cursor: this.#place(), modes: { bracketedPaste, applicationCursor } });
    this.seen.places++;
    if (this.#lazy.heldBytes > 0) this.seen.tracked++;
  }

  /** Compares the screen, and a screen restored from the last checkpoint, with the bare screen. */
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
    again.close();
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
    this.#lazy.sleep(new StoredScreen({ cols: screen.cols, rows: screen.rows, bytes: packed }));
    // The former stored screen is freed.
    expect(this.#spill.held.size).toBe(1);
    this.seen.sleeps++;
  }

  /** Acts like a quiet terminal whose screen sleeps. */
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
    this.#lazy.close();
    expect(this.#spill.held.size).toBe(0);
  }

  #create(stored: Size & { bytes: Uint8Array }): LazyScreen {
    const fault = (error: unknown) => {
      throw error;
    };
    const options = { scrollback: this.#scrollback, spill: this.#spill, fault };
    return new LazyScreen(options, new StoredScreen(stored));
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

  #place(): Cursor {
    const { active, normal } = internals(this.bare.term).buffers;
    const col = Math.min(active.x, this.#lazy.cols - 1);
    return { row: active.y, col, altScreen: active !== normal };
  }

  #expected(scrollback = true): string {
    const { text, losses } = serializeScreen(internals(this.bare.term), scrollback);
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

/** Removes the names that the serializer gives to unnamed links, which change at each sleep. */
function unnamed(text: string): string {
  return text.replace(/id=at\d+:*;/g, 'id=;');
}

/** Returns the state of a screen without the palette, which the bare screen lacks. */
function textOf(screen: Screen, scrollback = true): string {
  const text = screen
    .serialize({ scrollback })
    .replace(/^(\x1b\](?:4|1[0-9]);[^\x1b\x07]*(\x07|\x1b\\))*/, '');
  const pending = Buffer.from(screen.pending()).toString('hex');
  return JSON.stringify({ text: unnamed(text), losses: lossesOf(screen, scrollback), pending });
}
