import { IN_MEMORY, type Kept, type Spill } from '../../src/workers/kept.js';

/** Takes all that it is given, as a disk does, and knows what has not been freed. */
export class CountedSpill implements Spill {
  /** What is kept here now. */
  readonly held = new Set<Kept>();
  /** Nothing is given back any more. */
  isBroken = false;
  /** How often something was put here. */
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
