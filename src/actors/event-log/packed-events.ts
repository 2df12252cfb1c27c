import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Labels } from '../../contract/labels.js';
import type { LoggedEvent } from './logged-event.js';

/** Events that are packed together. To unpack them takes a quarter of a millisecond, which a client that resumes pays once. */
export const PACKED_TOGETHER = 128;

/** Packing takes 3 µs for each event at this level. */
const LEVEL = 1;

/** The packed fields of an event: null in place of undefined, which JSON lacks. */
type Packed = [type: string, terminalId: string | null, labels: Labels, json: string];

interface Block {
  /** Number of its first event. */
  first: number;
  deflated: Uint8Array;
  /** Bytes of each event that count towards the bound of the log. */
  sizes: readonly number[];
}

/**
 * Older events, which hardly anybody asks for: a client that resumes reads them once. The events of a log resemble each
 * other, so their text takes less than a tenth of its memory.
 */
export class PackedEvents {
  /** Their numbers follow one another. */
  readonly #blocks: Block[] = [];
  /** The block that was unpacked last: clients read one event after the other. */
  #unpacked: { block: Block; events: readonly LoggedEvent[] } | undefined;

  /** Adds PACKED_TOGETHER events; `first` is the number of the first. */
  add(first: number, events: readonly LoggedEvent[]): void {
    const packed = events.map(
      ({ type, terminalId, labels, json }): Packed => [type, terminalId ?? null, labels, json],
    );
    const deflated = deflateRawSync(JSON.stringify(packed), { level: LEVEL });
    // A copy: the result may be part of a larger buffer.
    this.#blocks.push({
      first,
      deflated: Uint8Array.from(deflated),
      sizes: events.map(({ bytes }) => bytes),
    });
  }

  /** Returns the event of this number, which must be here. */
  at(n: number): LoggedEvent {
    const block = this.#blockOf(n);
    if (this.#unpacked?.block !== block) this.#unpacked = { block, events: unpack(block) };
    return this.#unpacked.events[n - block.first]!;
  }

  /** Returns the bytes of the event of this number, which must be here. */
  bytesOf(n: number): number {
    const block = this.#blockOf(n);
    return block.sizes[n - block.first]!;
  }

  /** Forgets the events before this number, a whole block at a time. */
  dropBefore(n: number): void {
    for (let oldest = this.#blocks[0]; oldest && oldest.first + oldest.sizes.length <= n; ) {
      if (this.#unpacked?.block === oldest) this.#unpacked = undefined;
      this.#blocks.shift();
      oldest = this.#blocks[0];
    }
  }

  #blockOf(n: number): Block {
    const [oldest] = this.#blocks;
    const block = oldest && this.#blocks[Math.floor((n - oldest.first) / PACKED_TOGETHER)];
    if (!block) throw new Error(`event ${n} is not packed`);
    return block;
  }
}

function unpack({ deflated, sizes }: Block): LoggedEvent[] {
  const packed = JSON.parse(inflateRawSync(deflated).toString()) as Packed[];
  return packed.map(([type, terminalId, labels, json], index) => ({
    ...{ type, terminalId: terminalId ?? undefined, labels, json },
    bytes: sizes[index]!,
  }));
}
