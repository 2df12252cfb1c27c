import { MAX_LOG_RESIZES } from '../../../contract/limits.js';
import { IN_MEMORY, type Kept, type Spill } from '../../kept.js';
import { ByteQueue, type SpareSlabs } from './byte-queue.js';

/** Bytes that give a fresh screen of `cols` x `rows` the state from which output at `position` continues correctly. */
export interface Checkpoint {
  position: number;
  cols: number;
  rows: number;
  bytes: Uint8Array;
}

/** A checkpoint whose bytes are stored in memory or on disk. */
export interface KeptCheckpoint extends Omit<Checkpoint, 'bytes'> {
  kept: Kept;
}

export interface LogParts {
  /** See {@link ByteQueue}. */
  spare?: SpareSlabs;
  /** Store for the bytes of checkpoints; memory if absent. */
  checkpoints?: Spill;
  /** Initial contents of the log; empty, from position 0 on, if absent. */
  earlier?: EarlierLog;
}

/** A log as it was before: the output after its checkpoint, and the resizes in that output. */
export interface EarlierLog {
  checkpoint: Checkpoint;
  output: Uint8Array;
  resizes: readonly Resize[];
}

/** A log as the program that renews the host hands it to itself. */
export interface KeptLog {
  checkpoint: Readonly<KeptCheckpoint>;
  output: Buffer[];
  resizes: readonly Resize[];
}

/** How far a reader of the log has come. */
export interface LogCursor {
  position: number;
  /** Number of the next resize to read, counted since spawn. */
  resize: number;
}

export type LogItem =
  | { kind: 'output'; views: Buffer[]; bytes: number }
  | { kind: 'resize'; cols: number; rows: number };

const NOTHING = new Uint8Array(0);

/** A resize, at the position of the first output that was read at the new size. */
export interface Resize {
  position: number;
  cols: number;
  rows: number;
}

/**
 * A terminal's output since its checkpoint, with resizes at their positions: all that a shard needs to rebuild the
 * screen. Positions are bytes of output since spawn. This is pure data: the caller limits its size.
 */
export class TerminalLog {
  readonly #checkpoints: Spill;
  #checkpoint: KeptCheckpoint;
  readonly #output: ByteQueue;
  #resizes: Resize[] = [];
  /** Number of the first kept resize, counted since spawn. */
  #firstResize = 0;

  constructor(cols: number, rows: number, { spare, checkpoints = IN_MEMORY, earlier }: LogParts = {}) {
    this.#output = new ByteQueue(spare);
    this.#checkpoints = checkpoints;
    const { bytes, ...place } = earlier?.checkpoint ?? { position: 0, cols, rows, bytes: NOTHING };
    this.#checkpoint = { kept: checkpoints.put(bytes), ...place };
    if (!earlier) return;
    this.#output.append(earlier.output);
    this.#resizes = [...earlier.resizes];
  }

  get checkpoint(): Readonly<KeptCheckpoint> {
    return this.#checkpoint;
  }

  /** Bytes kept after the checkpoint. */
  get size(): number {
    return this.#output.length;
  }

  /** Position of the end of the output. */
  get position(): number {
    return this.#checkpoint.position + this.#output.length;
  }

  append(bytes: Uint8Array): void {
    this.#output.append(bytes);
  }

  resize(cols: number, rows: number): void {
    this.#resizes.push({ position: this.position, cols, rows });
    if (this.#resizes.length > MAX_LOG_RESIZES) this.#dropResizes(1);
  }

  /**
   * Moves the checkpoint forward and frees the output before it. Returns false, and changes nothing, for a position
   * before the present checkpoint or past the end.
   */
  setCheckpoint(next: Checkpoint): boolean {
    if (next.position < this.#checkpoint.position || next.position > this.position) return false;
    this.#output.drop(next.position - this.#checkpoint.position);
    const { bytes, ...place } = next;
    this.#checkpoint.kept.free();
    this.#checkpoint = { kept: this.#checkpoints.put(bytes), ...place };
    this.#dropResizes(this.#resizesWithin(next));
    return true;
  }

  /** Returns the state with which another log goes on as this one, in views that are lent until the next change. */
  keep(): KeptLog {
    const output = this.#output.views(0, this.#output.length);
    return { checkpoint: this.#checkpoint, output, resizes: this.#resizes };
  }

  /** Returns the cursor of a reader that was sent the checkpoint. An earlier reader may still have views to send. */
  start(): LogCursor {
    this.#output.lend();
    return { position: this.#checkpoint.position, resize: this.#firstResize };
  }

  /** Returns the next item, at most `max` bytes of output, and moves the cursor past it; null at the end. */
  next(cursor: LogCursor, max: number): LogItem | null {
    // A resize that was dropped before the cursor reached it is part of the checkpoint, or exceeded MAX_LOG_RESIZES.
    cursor.resize = Math.max(cursor.resize, this.#firstResize);
    const resize = this.#resizes[cursor.resize - this.#firstResize];
    if (resize && resize.position <= cursor.position) {
      cursor.resize += 1;
      return { kind: 'resize', cols: resize.cols, rows: resize.rows };
    }
    const until = Math.min(resize ? resize.position : this.position, cursor.position + max);
    const bytes = until - cursor.position;
    if (bytes <= 0) return null;
    const views = this.#output.views(cursor.position - this.#checkpoint.position, bytes);
    cursor.position = until;
    return { kind: 'output', views, bytes };
  }

  /** Frees everything; only the positions stay valid. */
  clear(): void {
    // A reader may still have views to send.
    this.#output.lend();
    const { cols, rows } = this.#checkpoint;
    this.setCheckpoint({ position: this.position, cols, rows, bytes: NOTHING });
    this.#dropResizes(this.#resizes.length);
  }

  /**
   * Returns how many resizes a checkpoint includes. Of the resizes at its exact position it may include only some: all
   * up to the last resize to the checkpoint's size, or none if no resize there was to that size.
   */
  #resizesWithin(checkpoint: Omit<Checkpoint, 'bytes'>): number {
    let held = 0;
    for (const [index, resize] of this.#resizes.entries()) {
      if (resize.position > checkpoint.position) break;
      const before = resize.position < checkpoint.position;
      if (before || (resize.cols === checkpoint.cols && resize.rows === checkpoint.rows)) held = index + 1;
    }
    return held;
  }

  #dropResizes(count: number): void {
    this.#resizes.splice(0, count);
    this.#firstResize += count;
  }
}
