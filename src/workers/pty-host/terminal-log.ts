import { MAX_LOG_RESIZES } from '../../contract/limits.js';
import { IN_MEMORY, type Kept, type Spill } from '../kept.js';
import { ByteQueue, type SpareSlabs } from './byte-queue.js';

/** What to feed a fresh screen of `cols` x `rows` so that the output from `position` on continues right. */
export interface Checkpoint {
  position: number;
  cols: number;
  rows: number;
  bytes: Uint8Array;
}

/** A checkpoint whose bytes are kept somewhere. */
export interface KeptCheckpoint extends Omit<Checkpoint, 'bytes'> {
  kept: Kept;
}

export interface LogParts {
  /** See {@link ByteQueue}. */
  spare?: SpareSlabs;
  /** Where the bytes of checkpoints are kept; in memory when absent. */
  checkpoints?: Spill;
  /** Where it begins, 0 when absent: output before is gone. */
  position?: number;
}

/** How far a reader of the log has come. */
export interface LogCursor {
  position: number;
  /** Number of the next resize, counted since spawn. */
  resize: number;
}

export type LogItem =
  | { kind: 'output'; views: Buffer[]; bytes: number }
  | { kind: 'resize'; cols: number; rows: number };

const NOTHING = new Uint8Array(0);

interface Resize {
  position: number;
  cols: number;
  rows: number;
}

/**
 * A terminal's output since its checkpoint, with resizes at their places: all that a shard needs to rebuild the
 * screen. Positions are bytes of output since spawn. Pure data; bounds on its size are the caller's matter.
 */
export class TerminalLog {
  readonly #checkpoints: Spill;
  #checkpoint: KeptCheckpoint;
  readonly #output: ByteQueue;
  #resizes: Resize[] = [];
  /** Number of the first kept resize, counted since spawn. */
  #firstResize = 0;

  constructor(cols: number, rows: number, { spare, checkpoints = IN_MEMORY, position = 0 }: LogParts = {}) {
    this.#output = new ByteQueue(spare);
    this.#checkpoints = checkpoints;
    this.#checkpoint = { position, cols, rows, kept: checkpoints.put(NOTHING) };
  }

  get checkpoint(): Readonly<KeptCheckpoint> {
    return this.#checkpoint;
  }

  /** Bytes kept after the checkpoint. */
  get size(): number {
    return this.#output.length;
  }

  /** Where the output ends. */
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
   * Moves the checkpoint forward and frees what lies before it. False, and nothing changes, for a position
   * before the present checkpoint or past the end.
   */
  setCheckpoint(next: Checkpoint): boolean {
    if (next.position < this.#checkpoint.position || next.position > this.position) return false;
    this.#output.drop(next.position - this.#checkpoint.position);
    const { bytes, ...place } = next;
    this.#checkpoint.kept.free();
    this.#checkpoint = { ...place, kept: this.#checkpoints.put(bytes) };
    this.#dropResizes(this.#resizesWithin(next));
    return true;
  }

  /** Where a reader begins who has been given the checkpoint. One that read before may not have sent all of it yet. */
  start(): LogCursor {
    this.#output.lend();
    return { position: this.#checkpoint.position, resize: this.#firstResize };
  }

  /** What comes next, at most `max` bytes of output, and moves the cursor past it; null at the end. */
  next(cursor: LogCursor, max: number): LogItem | null {
    // A resize that was dropped under the cursor is covered by the checkpoint or lost to the bound.
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

  /** Frees everything; only the positions stay true. */
  clear(): void {
    // A reader may not have sent all of it.
    this.#output.lend();
    const { cols, rows } = this.#checkpoint;
    this.setCheckpoint({ position: this.position, cols, rows, bytes: NOTHING });
    this.#dropResizes(this.#resizes.length);
  }

  /**
   * How many resizes a checkpoint already holds. Of those at its very position it may hold some and not others:
   * all up to the last one that gave its size, or none when no one did.
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
