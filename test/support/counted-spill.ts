import { IN_MEMORY, type Kept, type Spill } from '../../src/workers/kept.js';

/** Stores all bytes, as a disk does, and records which pieces have not been freed. */
export class CountedSpill implements Spill {
  /** The pieces stored now. */
  readonly held = new Set<Kept>();
  /** If true, every read throws. */
  isBroken = false;
  /** Number of pieces put here. */
  puts = 0;

  put(bytes: Uint8Array): Kept {
    const inner = IN_MEMORY.put(Uint8Array.from(bytes));
    const kept: Kept = {
      length: bytes.length,
      residentBytes: 0,
      read: () => {
        if (this.isBroken) throw new Error('EIO: i/o error, read');
        return Uint8Array.from(inner.read());
      },
      free: () => {
        inner.free();
        this.held.delete(kept);
      },
    };
    this.held.add(kept);
    this.puts++;
    return kept;
  }
}
