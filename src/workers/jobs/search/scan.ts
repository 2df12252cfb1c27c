import type { DocumentType } from '../../../contract/search.js';
import type { BlockView } from '../../../store/search/block.js';
import type { BlockReader } from '../../../store/search/block-reader.js';
import { bitsOf, mayHold } from '../../../store/search/signature.js';
import { hitOf } from './hit.js';

/** A range of an index's blocks, newest first. */
export interface ScanRange {
  /** Folder of the environment, which this process has open for writing. */
  folder: string;
  newest: number;
  oldest: number;
}

export interface ScanRequest extends ScanRange {
  /** Case-folded and not empty. */
  query: string;
  /** Only documents of these terminals; of all when absent. */
  terminalIds?: readonly string[] | undefined;
  type?: DocumentType | undefined;
  limit: number;
}

export interface ScanResult {
  /** Hits, newest first, `limit` at most: each is the JSON of a `SearchHit` in UTF-8, without separators. */
  hits: Uint8Array<ArrayBuffer>;
  /** Byte offset of each hit's end. */
  ends: number[];
  /** Numbers of the blocks that could not be read. */
  damaged: number[];
}

/**
 * Searches a range of blocks, newest document first, and stops at the limit. Hits become JSON here, so that the main
 * thread only passes them on.
 */
export function scanBlocks(reader: BlockReader, request: ScanRequest): ScanResult {
  const { folder, query, type, limit } = request;
  const terminalIds = request.terminalIds && new Set(request.terminalIds);
  const hits = new JsonPieces();
  const damaged: number[] = [];
  const needle = Buffer.from(query, 'utf8');
  for (const { number, view } of reader.blocks(folder, request, signatureOf(request, needle), damaged)) {
    for (const index of documentsWith(view, needle, number, damaged)) {
      const entry = view.entry(index);
      if (terminalIds && !terminalIds.has(entry.terminalId)) continue;
      if (type !== undefined && entry.type !== type) continue;
      const { folded, content } = view.content(index);
      const document = {
        id: reader.idOf(number, index),
        terminalId: entry.terminalId,
        type: entry.type,
        timestamp: new Date(entry.timestamp).toISOString(),
        content,
      };
      hits.add(hitOf(document, folded, query));
      if (hits.ends.length >= limit) return { hits: hits.bytes(), ends: hits.ends, damaged };
    }
  }
  return { hits: hits.bytes(), ends: hits.ends, damaged };
}

/** Returns a test of a block's signature: whether the block may hold a hit. */
function signatureOf(
  { terminalIds, type }: ScanRequest,
  needle: Uint8Array,
): (signature: Uint8Array) => boolean {
  const bits = bitsOf(needle, type === undefined ? [] : [type]);
  const ofTerminals = terminalIds?.map((id) => bitsOf(Buffer.alloc(0), [id]));
  return (signature) =>
    mayHold(signature, bits) && (ofTerminals?.some((own) => mayHold(signature, own)) ?? true);
}

/** Values as JSON in UTF-8, without separators. */
class JsonPieces {
  readonly ends: number[] = [];
  readonly #pieces: Buffer[] = [];
  #length = 0;

  add(value: unknown): void {
    const piece = Buffer.from(JSON.stringify(value), 'utf8');
    this.#pieces.push(piece);
    this.#length += piece.length;
    this.ends.push(this.#length);
  }

  /** Returns the bytes in a buffer of exactly their length, since a buffer moves to another thread as a whole. */
  bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }
}

/**
 * Yields the documents of a block whose folded text contains the needle, newest first. Searches the whole block first,
 * since most blocks do not contain it. Adds a block that is not intact to `damaged`.
 */
export function* documentsWith(
  view: BlockView,
  needle: Buffer,
  number: number,
  damaged: number[],
): Generator<number> {
  const { text } = view;
  const first = text.indexOf(needle);
  if (first === -1) return;
  if (!view.isIntact()) {
    damaged.push(number);
    return;
  }
  const oldest = view.indexAt(first);
  for (let index = view.count - 1; index >= oldest; index--) {
    const { begin, end } = view.entry(index);
    if (text.subarray(begin, end).includes(needle)) yield index;
  }
}
