import { CHECKPOINT_EVERY_BYTES } from '../../contract/limits.js';
import { type Detail, packCheckpoint, packOutput, packText } from './checkpoint.js';
import type { LazyScreen, StoredScreen } from './screen/lazy-screen.js';
import type { Screen } from './screen/screen.js';

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

const NOTHING = new Uint8Array(0);

/** A packed screen, and the position in the output that it shows. */
export interface Checkpoint extends StoredScreen {
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
  #last: Checkpoint;
  /** Position where one was last tried. */
  #tried: number;
  #isLarge = false;
  /** As much as fitted last: while output floods, what does not fit is not tried again and again. */
  #detail: Detail = 'whole';
  /** The last one may have less in it than would fit. */
  #isPartial = false;
  #isExact = false;
  /** The bytes of the last one are kept here, too. */
  #isHere = true;

  constructor(options: CheckpointsOptions, origin: Checkpoint) {
    this.#options = options;
    this.#last = origin;
    this.#tried = origin.position;
  }

  /** The last one, when it is of a screen that has taken so much output. */
  of(position: number): Checkpoint | undefined {
    return this.#isHere && this.#last.position === position ? this.#last : undefined;
  }

  /** Likewise, when it gives back all of the screen. */
  exactOf(position: number): Checkpoint | undefined {
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
    if (state === undefined || at <= this.#last.position) return false;
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
    this.#last = { position, cols, rows, bytes: NOTHING };
    this.#isHere = false;
    return true;
  }

  /** Saves a screen as of this position: with all that fits when it is quiet, else with what a flood has time for. */
  save(screen: Screen, position: number, isQuiet: boolean, deflate = isQuiet): void {
    const { cols, rows } = screen;
    const last = this.of(position);
    const isSaved = last && last.cols === cols && last.rows === rows;
    if (isSaved && !(isQuiet && this.#isPartial)) return;
    this.#tried = position;
    try {
      const most = isQuiet ? 'whole' : this.#floodDetail();
      const { packed, size, detail, isExact } = packCheckpoint(screen, { detail: most, deflate });
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
    this.#last = checkpoint;
    this.#isHere = true;
    this.#options.save(checkpoint);
  }

  #floodDetail(): Detail {
    return this.#isLarge && this.#detail === 'whole' ? 'screen' : this.#detail;
  }
}
