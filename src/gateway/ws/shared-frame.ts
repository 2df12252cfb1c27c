import type { FreeMemory } from '../../workers/free-memory.js';
import type { FrameVariant, OutputFrame } from '../../workers/shard/protocol.js';

/** A frame that is written to many clients from the same memory, which is freed once the last client has taken it. */
export class SharedFrame {
  readonly bytes: Buffer;
  readonly #buffer: ArrayBuffer;
  readonly #memory: FreeMemory;
  #users = 1;

  /** The creator is the first user. */
  constructor(buffer: ArrayBuffer, memory: FreeMemory) {
    this.bytes = Buffer.from(buffer);
    this.#buffer = buffer;
    this.#memory = memory;
  }

  retain(): void {
    this.#users++;
  }

  /** Ends one use. The last release frees the bytes, so nobody may touch them after it. */
  release(): void {
    if (--this.#users === 0) this.#memory.free(this.#buffer);
  }
}

/** An output event in the variants that are watched; all clients share its memory. */
export type FrameVariants = Partial<Record<FrameVariant, SharedFrame>>;

/** Wraps the frames of an event, whose memory is freed after the last client has taken them. */
export function sharedFrames({ plain, seq, sized }: OutputFrame, memory: FreeMemory): FrameVariants {
  return {
    plain: plain && new SharedFrame(plain, memory),
    seq: seq && new SharedFrame(seq, memory),
    sized: sized && new SharedFrame(sized, memory),
  };
}

/** Ends the fan-out's own use: a client that has not retained the frame by now never will. */
export function releaseFrames({ plain, seq, sized }: FrameVariants): void {
  plain?.release();
  seq?.release();
  sized?.release();
}
