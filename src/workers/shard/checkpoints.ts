import { CHECKPOINT_EVERY_BYTES } from '../../contract/limits.js';
import { type Detail, packOutput, packSteps, packText } from './checkpoint.js';
import type { LazyScreen } from './screen/lazy-screen.js';
import type { Screen } from './screen/screen.js';
import type { Steps } from './steps.js';
import { type PackedScreen, StoredScreen } from './stored-screen.js';

/** A quiet terminal is saved only when this much would have to be parsed again after a crash: about 1 ms. */
const IDLE_BYTES = 16 * 1024;

/**
 * A screen that serializes to more than this (about 50 ms) is saved without its scrollback while its output floods,
 * and whole when it is quiet: colours of their own in each cell make 10 MB of 1,000 lines, and the terminals of
 * the shard would wait a second for each 512 KiB.
 */
const LARGE_SCREEN_BYTES = 1024 * 1024;

/** Output that is saved as it is is parsed at each wakening, and takes twice the memory of a screen. */
const MAX_FED_BYTES = 128 * 1024;

/** A packed screen, and the position in the output that it shows. */
export interface Checkpoint extends PackedScreen {
  position: number;
}

export interface CheckpointsOptions {
  save: (checkpoint: Checkpoint) => void;
  /** A screen could not be saved. */
  fault: (error: unknown) => void;
}

/** Moves the checkpoint of one terminal forward. */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  /** Of the last one. */
  #position: number;
  /** The last one, where its bytes are kept here, too. */
  #stored: StoredScreen | undefined;
  /** Position where one was last tried. */
  #tried: number;
  #isLarge = false;
  /** As much as fitted last: while output floods, what does not fit is not tried again and again. */
  #detail: Detail = 'whole';
  /** The last one may have less in it than would fit. */
  #isPartial = false;
  #isExact = false;

  /** @param origin - the last checkpoint, which is at this position */
  constructor(options: CheckpointsOptions, position: number, origin: StoredScreen) {
    this.#options = options;
    this.#position = position;
    this.#stored = origin;
    this.#tried = position;
    // What it left out, nobody here knows.
    this.#isPartial = !origin.isEmpty;
  }

  /** The last one, when it is of a screen that has taken so much output. */
  of(position: number): StoredScreen | undefined {
    return this.#position === position ? this.#stored : undefined;
  }

  /** Likewise, when it gives back all of the screen. */
  exactOf(position: number): StoredScreen | undefined {
    return this.#isExact ? this.of(position) : undefined;
  }

  /** So much has come since the last one that it should move, even in a flood. */
  isDue(position: number): boolean {
    return position - this.#tried >= CHECKPOINT_EVERY_BYTES;
  }

  /** ... or at least when the terminal is quiet. */
  isDueWhenQuiet(position: number): boolean {
    return this.#isPartial || position - this.#tried >= IDLE_BYTES;
  }

  /** Another try is worth its time only when more has been printed. */
  tried(position: number): void {
    this.#tried = position;
  }

  /**
   * Saves where a screen stands that has skipped output, at a position before what it holds: that costs next to
   * nothing. False when there is no such place, or the checkpoint is there already.
   */
  saveSkipped(screen: LazyScreen, position: number): boolean {
    const state = screen.serializeSkipped();
    // Not before it has skipped.
    const at = position - screen.heldBytes;
    if (state === undefined || at <= this.#position) return false;
    this.#tried = position;
    this.#isPartial = false;
    this.#isExact = true;
    this.#keep({ position: at, cols: screen.cols, rows: screen.rows, bytes: packText(state) });
    return true;
  }

  /**
   * Saves a screen that sleeps by what to feed it, which costs a tenth of parsing it. False when it is too much for
   * that, or can not be.
   */
  saveFed(screen: LazyScreen, position: number): boolean {
    if (screen.heldBytes > MAX_FED_BYTES) return false;
    const { fed, cols, rows } = screen;
    if (!fed) return false;
    this.#tried = position;
    this.#isPartial = false;
    this.#isExact = true;
    this.#keep({ position, cols, rows, bytes: packOutput(fed) });
    // The same output is in the history.
    this.#stored = undefined;
    return true;
  }

  /** Saves a screen as of this position, in steps between which it must stay so: with all that fits when it is quiet, else with what a flood has time for. */
  *save(screen: Screen, position: number, isQuiet: boolean, deflate = isQuiet): Steps<void> {
    const { cols, rows } = screen;
    const last = this.of(position);
    const isSaved = last && last.cols === cols && last.rows === rows;
    if (isSaved && !(isQuiet && this.#isPartial)) return;
    this.#tried = position;
    try {
      const most = isQuiet ? 'whole' : this.#floodDetail();
      const { packed, size, detail, isExact } = yield* packSteps(screen, { detail: most, deflate });
      if (most === 'whole') this.#isLarge = size > LARGE_SCREEN_BYTES;
      this.#detail = detail;
      this.#isPartial = most !== 'whole';
      this.#isExact = isExact;
      this.#keep({ position, cols, rows, bytes: packed });
    } catch (error) {
      this.#options.fault(error);
    }
  }

  #keep(checkpoint: Checkpoint): void {
    this.#position = checkpoint.position;
    this.#stored = new StoredScreen(checkpoint);
    this.#options.save(checkpoint);
  }

  #floodDetail(): Detail {
    return this.#isLarge && this.#detail === 'whole' ? 'screen' : this.#detail;
  }
}
