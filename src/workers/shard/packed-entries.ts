import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { IN_MEMORY, type Kept, type Spill } from '../kept.js';

/** A stretch of what a terminal printed: raw bytes, or the resize that happened between them. */
export type Segment = { bytes: Uint8Array } | { cols: number; rows: number };

/** A segment, and the bytes printed before it. */
export interface Entry {
  position: number;
  segment: Segment;
}

/** 83 KB of coloured build output become 21.8 KB in 0.7 ms; with 1 it is 24.0 KB in 0.5 ms, with 6 20.8 KB in 1.4 ms. */
const LEVEL = 4;

/** What packing needs. */
export interface PackOptions {
  /** Where it is packed to. */
  spill: Spill;
  /** It could not be read back: what was packed is gone. */
  fault: (error: Error) => void;
}

export const PACK_IN_MEMORY: PackOptions = {
  spill: IN_MEMORY,
  fault: (error) => {
    throw error;
  },
};

/** Entries of a history in one piece, deflated, and on disk where that is worth it. */
export class PackedEntries {
  /** Position after the last of the bytes. */
  readonly end: number;
  readonly #start: number;
  readonly #deflated: Kept;
  readonly #resizes: readonly Entry[];

  constructor(entries: readonly Entry[], spill: Spill) {
    const bytes = Buffer.concat(
      entries.flatMap(({ segment }) => ('bytes' in segment ? [segment.bytes] : [])),
    );
    this.#start = entries[0]?.position ?? 0;
    this.end = this.#start + bytes.length;
    this.#deflated = spill.put(deflateRawSync(bytes, { level: LEVEL }));
    this.#resizes = entries.filter(({ segment }) => 'cols' in segment);
  }

  /** Bytes of memory that this holds. */
  get residentBytes(): number {
    return this.#deflated.residentBytes;
  }

  /** Of the last resize, if there is one. */
  get size(): { cols: number; rows: number } | undefined {
    const last = this.#resizes.at(-1)?.segment;
    return last && 'cols' in last ? last : undefined;
  }

  /** The entries as they were, but for where their bytes are cut. Throws where the disk does not give them back. */
  entries(): Entry[] {
    const all = inflateRawSync(this.#deflated.read());
    const entries: Entry[] = [];
    let from = this.#start;
    const addBytes = (to: number) => {
      if (to <= from) return;
      entries.push({
        position: from,
        segment: { bytes: all.subarray(from - this.#start, to - this.#start) },
      });
      from = to;
    };
    for (const resize of this.#resizes) {
      addBytes(resize.position);
      entries.push(resize);
    }
    addBytes(this.end);
    return entries;
  }

  /** They are not needed any more. */
  free(): void {
    this.#deflated.free();
  }
}

/** The entries, with bytes that follow each other in one piece of memory of the right size. */
export function joined(entries: readonly Entry[]): Entry[] {
  const result: Entry[] = [];
  let run: Uint8Array[] = [];
  let position = 0;
  const endRun = () => {
    if (run.length > 0) result.push({ position, segment: { bytes: concat(run) } });
    run = [];
  };
  for (const entry of entries) {
    if ('bytes' in entry.segment) {
      if (run.length === 0) position = entry.position;
      run.push(entry.segment.bytes);
    } else {
      endRun();
      result.push(entry);
    }
  }
  endRun();
  return result;
}

/** Not by way of `Buffer`, which takes small ones out of 8 KiB that stay as long as any of them. */
function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
