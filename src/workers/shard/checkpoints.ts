import { CHECKPOINT_EVERY_BYTES } from '../../contract/limits.js';
import { type Detail, packOutput, packSteps, packText } from './checkpoint.js';
import type { LazyScreen } from './screen/lazy-screen.js';
import type { Screen } from './screen/screen.js';
import type { Steps } from './steps.js';
import { type PackedScreen, StoredScreen } from './stored-screen.js';

/**
 * Bytes of unsaved output at which a quiet terminal is saved: parsing this much again after a crash takes about 1 ms. A
 * large screen waits for a quarter of its serialized size, since saving a full scrollback takes 20 ms.
 */
const IDLE_BYTES = 16 * 1024;

/** Bytes of unsaved output at which any quiet terminal is saved: a sleeping screen leaves it to the history, which is bounded. */
const MAX_IDLE_BYTES = 48 * 1024;

/**
 * Bytes of unsaved output at which a terminal that prints slowly is saved, unless half of its serialized screen is
 * more: the pty host keeps that output, and each save takes some 10 ms for 100 KB.
 */
const SLOW_BYTES = 48 * 1024;

/**
 * A screen that serializes to more than this (about 50 ms) is saved without its scrollback while its output floods, and
 * whole when it is quiet. With a different colour in each cell, 1,000 lines make 10 MB, and the other terminals of the
 * shard would wait a second for each 512 KiB of output.
 */
const LARGE_SCREEN_BYTES = 1024 * 1024;

/**
 * Most output that is saved unparsed: it is parsed at each waking, and takes twice the memory of a screen. A sleeping
 * screen may hold twice as much, so that a shell at work can wait for its turn to be parsed.
 */
const MAX_FED_BYTES = 96 * 1024;

/** A packed screen, and the position in the output that it corresponds to. */
export interface Checkpoint extends PackedScreen {
  position: number;
}

export interface CheckpointsOptions {
  save: (checkpoint: Checkpoint) => void;
  /** Called when a screen could not be saved. */
  fault: (error: unknown) => void;
}

/** Saves the checkpoints of one terminal. */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  /** Position of the last checkpoint. */
  #position: number;
  /** The last checkpoint, if its bytes are also kept here. */
  #stored: StoredScreen | undefined;
  /** Position at which a checkpoint was last tried. */
  #tried: number;
  #isLarge = false;
  #size = 0;
  /** Detail that fitted last. While output floods, detail that does not fit is not tried again and again. */
  #detail: Detail = 'whole';
  /** Whether the last checkpoint may have less detail than would fit. */
  #isPartial = false;
  /** Whether the last checkpoint reproduces the whole screen; undefined if this shard has made no checkpoint yet. */
  #isExact: boolean | undefined;
  /**
   * Whether the screen was resized since the last checkpoint. A screen that gets its size back may have lost text
   * meanwhile, so equal sizes do not make equal screens.
   */
  #isResized = false;

  /** @param origin - the last checkpoint, which is at `position` */
  constructor(options: CheckpointsOptions, position: number, origin: StoredScreen) {
    this.#options = options;
    this.#position = position;
    this.#stored = origin;
    this.#tried = position;
    // It is unknown here how much detail that checkpoint left out.
    this.#isPartial = !origin.isEmpty;
  }

  /** Returns the last checkpoint if it is at this position, without a resize since, and its bytes are kept here. */
  of(position: number): StoredScreen | undefined {
    return this.#position === position && !this.#isResized ? this.#stored : undefined;
  }

  /** Notes that the screen was resized. */
  resized(): void {
    this.#isResized = true;
  }

  /** Returns the last checkpoint as `of` does, but only if it reproduces the whole screen. */
  exactOf(position: number): StoredScreen | undefined {
    return this.#isExact ? this.of(position) : undefined;
  }

  /** Bytes that the screen serialized to when it was last saved as a whole; 0 before. */
  get size(): number {
    return this.#size;
  }

  /** Whether the next checkpoint may reproduce the whole screen, as far as the last one shows. */
  get mayBeExact(): boolean {
    return this.#isExact !== false;
  }

  /** Returns whether a checkpoint is due even in a flood, after this much output since the last attempt. */
  isDue(position: number): boolean {
    return position - this.#tried >= CHECKPOINT_EVERY_BYTES;
  }

  /** Returns whether a checkpoint is due if the terminal is quiet. */
  isDueWhenQuiet(position: number): boolean {
    const due = Math.min(MAX_IDLE_BYTES, Math.max(IDLE_BYTES, this.#size / 4));
    return this.#isPartial || position - this.#tried >= due;
  }

  /** Returns whether a checkpoint is due if the terminal prints slowly, or `screen` sleeps and holds much output. */
  isDueWhenSlow(position: number, screen: LazyScreen): boolean {
    if (screen.isAsleep && screen.heldBytes > MAX_FED_BYTES) return true;
    return position - this.#tried >= Math.max(SLOW_BYTES, this.#size / 2);
  }

  /** Frees the last checkpoint's bytes if output has followed: then no screen is restored from them here. */
  forgetPassed(position: number): void {
    if (this.#position !== position) this.#stored = undefined;
  }

  /** Notes an attempt at this position: another attempt is worth its time only after more output. */
  tried(position: number): void {
    this.#tried = position;
  }

  /**
   * Saves the state of a screen that has skipped output, at the position before its held output, which costs next to
   * nothing. Returns false if that state depends on earlier output, or the checkpoint is already there.
   */
  saveSkipped(screen: LazyScreen, position: number): boolean {
    const state = screen.serializeSkipped();
    // Read `heldBytes` only now: serializing has skipped held output.
    const at = position - screen.heldBytes;
    if (state === undefined || at <= this.#position) return false;
    this.#tried = position;
    this.#isPartial = false;
    this.#isExact = true;
    this.#keep({ position: at, cols: screen.cols, rows: screen.rows, bytes: packText(state) });
    return true;
  }

  /**
   * Saves a sleeping screen as the output to feed it, at a tenth of the cost of parsing that output. Returns false if
   * the output is too long, or the screen cannot be saved that way.
   */
  saveFed(screen: LazyScreen, position: number): boolean {
    if (screen.heldBytes > MAX_FED_BYTES) return false;
    const { fed, cols, rows } = screen;
    if (!fed) return false;
    this.#tried = position;
    this.#isPartial = false;
    this.#isExact = true;
    this.#keep({ position, cols, rows, bytes: packOutput(fed) });
    // Do not keep the bytes here: the history has the same output.
    this.#stored = undefined;
    return true;
  }

  /**
   * Saves a screen as of this position, in steps between which it must not change: with all detail that fits if it is
   * quiet, else with no more than a flood has time for. Reports an error to `fault`.
   */
  *save(screen: Screen, position: number, isQuiet: boolean, deflate = isQuiet): Steps<void> {
    const { cols, rows } = screen;
    const isSaved = this.of(position) !== undefined;
    if (isSaved && !(isQuiet && this.#isPartial)) return;
    this.#tried = position;
    screen.memory.countReads(false);
    try {
      const most = isQuiet ? 'whole' : this.#floodDetail();
      const { packed, size, detail, isExact } = yield* packSteps(screen, { detail: most, deflate });
      if (most === 'whole') {
        this.#isLarge = size > LARGE_SCREEN_BYTES;
        this.#size = size;
      }
      this.#detail = detail;
      this.#isPartial = most !== 'whole';
      this.#isExact = isExact;
      this.#keep({ position, cols, rows, bytes: packed });
    } catch (error) {
      this.#options.fault(error);
    } finally {
      screen.memory.countReads(true);
    }
  }

  #keep(checkpoint: Checkpoint): void {
    this.#position = checkpoint.position;
    this.#isResized = false;
    this.#stored = new StoredScreen(checkpoint);
    this.#options.save(checkpoint);
  }

  #floodDetail(): Detail {
    return this.#isLarge && this.#detail === 'whole' ? 'screen' : this.#detail;
  }
}
