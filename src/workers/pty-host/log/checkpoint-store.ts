import { IN_MEMORY, type Kept, type Spill } from '../../kept.js';
import { SPILL_FROM_BYTES } from '../../spill-file.js';

/**
 * Milliseconds between looks. A checkpoint goes to disk once it has been current for one to two such intervals; the
 * checkpoints of a flood never are.
 */
const LOOK_MS = 2_000;

/** Bytes that go to disk in one turn of the event loop, which takes a millisecond. */
const TURN_BYTES = 512 * 1024;

const NOTHING = new Uint8Array(0);

export interface CheckpointStoreOptions {
  spill: Spill;
  log(message: string): void;
}

/**
 * Keeps the checkpoints of terminals, and moves them to disk once they have been current for a while. A checkpoint that
 * the disk does not return is logged and read as empty: its terminal continues with an empty screen.
 */
export class CheckpointStore implements Spill {
  readonly #spill: Spill;
  readonly #log: (message: string) => void;
  /** Checkpoints in memory that have come since the last look. */
  #fresh = new Set<Standing>();
  /** Checkpoints in memory that had come before the last look. */
  #standing = new Set<Standing>();
  /** Runs only while there are such checkpoints. */
  #timer: NodeJS.Timeout | undefined;

  constructor({ spill, log }: CheckpointStoreOptions) {
    this.#spill = spill;
    this.#log = log;
  }

  put(bytes: Uint8Array): Kept {
    const checkpoint = new Standing(bytes, this);
    if (bytes.length >= SPILL_FROM_BYTES) {
      this.#fresh.add(checkpoint);
      this.#timer ??= this.#nextLook();
    }
    return checkpoint;
  }

  freed(checkpoint: Standing): void {
    this.#fresh.delete(checkpoint);
    this.#standing.delete(checkpoint);
  }

  unreadable(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#log(`a checkpoint could not be read back; its terminal has an empty screen: ${reason}`);
  }

  #nextLook(): NodeJS.Timeout {
    return setTimeout(() => this.#look(), LOOK_MS).unref();
  }

  #look(): void {
    let bytes = 0;
    for (const checkpoint of this.#standing) {
      if (bytes >= TURN_BYTES) {
        setImmediate(() => this.#look());
        return;
      }
      bytes += checkpoint.length;
      this.#standing.delete(checkpoint);
      checkpoint.moveTo(this.#spill);
    }
    [this.#standing, this.#fresh] = [this.#fresh, this.#standing];
    this.#timer = this.#standing.size > 0 ? this.#nextLook() : undefined;
  }
}

/** Reports of a checkpoint to its store. */
interface Owner {
  freed(checkpoint: Standing): void;
  unreadable(error: unknown): void;
}

class Standing implements Kept {
  readonly length: number;
  readonly #owner: Owner;
  #kept: Kept;

  constructor(bytes: Uint8Array, owner: Owner) {
    this.length = bytes.length;
    this.#owner = owner;
    this.#kept = IN_MEMORY.put(bytes);
  }

  get residentBytes(): number {
    return this.#kept.residentBytes;
  }

  moveTo(spill: Spill): void {
    const before = this.#kept;
    this.#kept = spill.put(before.read());
    before.free();
  }

  read(): Uint8Array {
    try {
      return this.#kept.read();
    } catch (error) {
      this.#owner.unreadable(error);
      return NOTHING;
    }
  }

  free(): void {
    this.#kept.free();
    this.#owner.freed(this);
  }
}
