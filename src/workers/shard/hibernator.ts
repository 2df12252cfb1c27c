import type { LimitFunction } from 'p-limit';
import { CHECKPOINT_IDLE_MS, HISTORY_BYTES, SLEEP_AFTER_MS } from '../../contract/limits.js';
import type { AwakeScreenLru, Sleeper } from './awake-screen-lru.js';
import type { Checkpoints } from './checkpoints.js';
import type { History } from './history.js';
import type { ParseLoop, Parser } from './parse-loop.js';
import type { LazyScreen } from './screen/lazy-screen.js';
import type { Steps } from './steps.js';
import type { StoredScreen } from './stored-screen.js';

/** Most bytes that a terminal prints between two ticks to count as slow, so that packed output is kept for a while. */
const SLOW_BYTES = HISTORY_BYTES / 2;

const SLEEP_TICKS = SLEEP_AFTER_MS / CHECKPOINT_IDLE_MS;

/**
 * A screen that serializes to more than this is put to sleep later while its program prints, in proportion to its size:
 * the program will want it back, and storing and restoring 100 KB takes some 20 ms.
 */
const SMALL_SCREEN_BYTES = 16 * 1024;

export interface ScreenRestOptions {
  screen: LazyScreen;
  history: History;
  checkpoints: Checkpoints;
  awake: AwakeScreenLru;
  loop: ParseLoop;
  /** Lets one sleeping screen of the shard at a time be woken for the shard itself. */
  wakes: LimitFunction;
  /** Returns the number of output bytes that the screen has taken. */
  taken: () => number;
  /** Returns whether output or questions wait. */
  isAtWork: () => boolean;
  /**
   * Calls `then` once the screen has parsed all output that it has taken. Resolves after the last step, or when the
   * terminal is closed.
   */
  whenParsed: (then: () => Steps<void>) => Promise<void>;
  /** Reports that output left to the history was lost. */
  fault: (error: unknown) => void;
}

/** Saves the screen of a quiet terminal, and puts the screen to sleep when nothing needs it for a while. */
export class Hibernator implements Sleeper {
  readonly #options: ScreenRestOptions;
  #timer: NodeJS.Timeout | undefined;
  /** Bytes taken when the timer last ticked. */
  #quietAt: number;
  /** Timer ticks since the screen was last needed. A screen woken for the shard itself is soon put to sleep again. */
  #idleTicks = 0;
  /** Ticks in a row in which the program printed and the screen was not used, neither to parse nor to skip output. */
  #unusedTicks = 0;
  /** Slices of output that the screen had parsed at the last tick in which the program printed, or at the last save. */
  #slices = 0;
  /** Position at which the screen could not be stored exactly. */
  #sleeplessAt: number | undefined;
  /** Whether the sleeping screen waits for its turn to be woken and saved. */
  #isWaiting = false;
  /** Packs the scrollback, a slice at each turn of the loop. */
  readonly #packer: Parser = { step: () => this.#options.screen.memory?.pack() ?? false };

  constructor(options: ScreenRestOptions) {
    this.#options = options;
    this.#quietAt = options.taken();
  }

  /** Schedules a check. Call when output is taken, or when the screen may be awake. */
  watch(): void {
    this.#timer ??= setTimeout(() => this.#tick(), CHECKPOINT_IDLE_MS);
  }

  /** Restarts the idle time. Call when output must be parsed at once, or when a client has asked. */
  needed(): void {
    this.#idleTicks = 0;
    this.#sleeplessAt = undefined;
    if (!this.#options.screen.isAsleep) this.#options.awake.needed(this);
    this.watch();
  }

  get bytes(): number {
    return this.#options.screen.bytes;
  }

  doze(): boolean {
    const { screen, isAtWork, taken, whenParsed } = this.#options;
    if (screen.isAsleep || isAtWork() || taken() > this.#quietAt) return false;
    void whenParsed(() => this.#saveAndSleep());
    return true;
  }

  /**
   * Puts the screen to sleep now, with `stored` to restore it from. Does nothing if `stored` is undefined. The history of a
   * program that goes on printing is packed once it pauses.
   */
  sleepAs(stored: StoredScreen | undefined, isPrinting = false): void {
    const { screen, history, awake } = this.#options;
    if (!stored || screen.isAsleep) return;
    this.close();
    this.#idleTicks = SLEEP_TICKS;
    awake.asleep(this);
    screen.sleep(stored);
    if (isPrinting) this.watch();
    else history.pack();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#options.loop.remove(this.#packer);
  }

  #tick(): void {
    this.#timer = undefined;
    const { screen, checkpoints, taken, whenParsed } = this.#options;
    const position = taken();
    const printed = position - this.#quietAt;
    this.#quietAt = position;
    if (printed <= SLOW_BYTES) this.#pack(position);
    if (printed > 0) this.#whilePrinting(position, printed);
    else if (screen.isAsleep) this.#rest(position);
    else if (position === this.#sleeplessAt) return;
    else if (++this.#idleTicks >= SLEEP_TICKS) void whenParsed(() => this.#saveAndSleep());
    else if (checkpoints.isDueWhenQuiet(position)) void whenParsed(() => this.#save());
    else this.watch();
  }

  /** Packs data that the terminal is unlikely to need soon. */
  #pack(position: number): void {
    const { screen, history, checkpoints, loop } = this.#options;
    history.packGathered();
    if (screen.isAsleep) this.#leave(position);
    screen.memory?.age();
    loop.add(this.#packer);
    checkpoints.forgetPassed(position);
  }

  /**
   * Saves a terminal that prints slowly, so that the pty host drops the output before the checkpoint. Puts the screen
   * to sleep if for a while all printed output was held, and nothing was parsed.
   */
  #whilePrinting(position: number, printed: number): void {
    const { screen, checkpoints, whenParsed } = this.#options;
    const isUnused = screen.holdsAll && screen.slices === this.#slices;
    this.#slices = screen.slices;
    this.#unusedTicks = isUnused ? this.#unusedTicks + 1 : 0;
    const ticks = SLEEP_TICKS * Math.max(1, checkpoints.size / SMALL_SCREEN_BYTES);
    if (this.#unusedTicks >= ticks && !screen.isAsleep && checkpoints.mayBeExact) {
      const isPrinting = true;
      checkpoints.tried(position);
      void whenParsed(() => this.#saveAndSleep(isPrinting));
    } else if (printed <= SLOW_BYTES && checkpoints.isDueWhenSlow(position, screen)) {
      this.#saveSlow(position);
    }
    this.watch();
  }

  #saveSlow(position: number): void {
    const { screen, checkpoints, whenParsed } = this.#options;
    if (screen.isAsleep && checkpoints.saveFed(screen, position)) return;
    // Noted now, because in a busy shard the next tick may come before the save.
    checkpoints.tried(position);
    const isPrinting = true;
    if (screen.isAsleep) this.#wakeAndSave(isPrinting);
    else void whenParsed(() => this.#save());
  }

  /**
   * Wakes the sleeping screen for its checkpoint, and puts it to sleep again. One screen of the shard at a time: shells
   * that run the same commands come to this at the same moment, and each awake screen may take 2 MB.
   */
  #wakeAndSave(isPrinting: boolean): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const { screen, wakes, whenParsed } = this.#options;
    void wakes(async () => {
      this.#isWaiting = false;
      // A screen that was needed in the meantime stays awake for a while, and is saved like any other.
      if (screen.isAsleep) await whenParsed(() => this.#saveAndSleep(isPrinting));
      else this.watch();
    });
  }

  /** Saves a checkpoint of the sleeping screen if one is due, then leaves its held output to the history alone. */
  #rest(position: number): void {
    const { screen, history, checkpoints } = this.#options;
    if (checkpoints.isDueWhenQuiet(position) && !checkpoints.saveFed(screen, position)) {
      this.#wakeAndSave(false);
      return;
    }
    history.pack();
    this.#leave(position);
  }

  /** Drops the sleeping screen's held output from memory: the history has the same output, most of it packed. */
  #leave(position: number): void {
    const { screen, history } = this.#options;
    const begin = position - screen.heldBytes;
    if (history.keepsFrom(begin)) screen.leave(() => this.#left(begin, position));
  }

  /** Returns output that was left to the history, as much of it as the disk returns. */
  #left(begin: number, end: number): Uint8Array {
    const { history, fault } = this.#options;
    const { segments } = history.between(begin, end);
    const bytes = Buffer.concat(segments.flatMap((segment) => ('bytes' in segment ? [segment.bytes] : [])));
    const lost = end - begin - bytes.length;
    if (lost > 0)
      fault(new Error(`${lost} bytes of output that the screen had left to the history are lost`));
    return bytes;
  }

  *#save(): Steps<void> {
    const { screen, checkpoints, taken } = this.#options;
    const isQuiet = true;
    yield* checkpoints.save(screen.screen, taken(), isQuiet);
    // Parsing for the save does not count as use of the screen.
    this.#slices = screen.slices;
    this.watch();
  }

  *#saveAndSleep(isPrinting = false): Steps<void> {
    const { screen, checkpoints, taken } = this.#options;
    yield* this.#save();
    if (screen.screen.isAtRest) this.sleepAs(checkpoints.exactOf(taken()), isPrinting);
    if (!screen.isAsleep) this.#sleeplessAt = taken();
  }
}
