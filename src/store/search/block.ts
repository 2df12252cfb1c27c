import { crc32 } from 'node:zlib';
import { DocumentType } from '../../contract/search.js';
import { foldMarked, unfold } from './fold.js';
import { SignatureBuilder } from './signature.js';

/** A document to be put into a block. */
export interface NewDocument {
  terminalId: string;
  type: DocumentType;
  /** Epoch milliseconds. */
  timestamp: number;
  content: string;
}

/*
 * A block: header, folded text, marks, names, entries.
 *
 *   header   u32 version, u32 crc32 of all after it, u32 documents, u32 bytes of text, of marks, of names
 *   text     folded UTF-8 of all documents, back to back, which a scan searches in one go
 *   marks    where folding changed the text (see foldMarked), of all documents, back to back
 *   names    terminal ids, as a JSON array
 *   entries  for each document: f64 timestamp, u32 end of its text, u32 end of its marks, u32 name, u32 type
 */
const VERSION = 1;
const HEADER_BYTES = 24;
const ENTRY_BYTES = 24;
const CHECKED_FROM = 8;

/** Types of documents, in the order of their numbers in entries. */
const TYPES = DocumentType.options;

/** A block that documents are added to. */
export class BlockBuilder {
  readonly #signature = new SignatureBuilder();
  readonly #texts: Buffer[] = [];
  readonly #marks: Uint8Array[] = [];
  readonly #names = new Map<string, number>();
  readonly #entries: Buffer[] = [];
  #textBytes = 0;
  #markBytes = 0;
  /** Bytes of the JSON array of names: its opening bracket, and for each name a comma or the closing bracket. */
  #nameBytes = 1;

  get signature(): Uint8Array {
    return this.#signature.bytes;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Present size of the block in bytes. */
  get size(): number {
    return (
      HEADER_BYTES + this.#textBytes + this.#markBytes + this.#nameBytes + this.#entries.length * ENTRY_BYTES
    );
  }

  /**
   * Adds a document, which must be well-formed UTF-16. Returns false, and adds nothing, if that would make a block that
   * is not empty larger than `limit` bytes.
   */
  add(document: NewDocument, limit: number): boolean {
    const folded = foldMarked(document.content);
    const text = Buffer.from(folded.text, 'utf8');
    const { terminalId, type, timestamp } = document;
    const nameBytes = this.#names.has(terminalId) ? 0 : Buffer.byteLength(JSON.stringify(terminalId)) + 1;
    const bytes = text.length + folded.marks.length + nameBytes + ENTRY_BYTES;
    if (!this.isEmpty && this.size + bytes > limit) return false;
    this.#signature.add(text);
    this.#signature.addName(terminalId);
    this.#signature.addName(type);
    this.#texts.push(text);
    this.#marks.push(folded.marks);
    this.#textBytes += text.length;
    this.#markBytes += folded.marks.length;
    this.#nameBytes += nameBytes;
    const name = this.#names.get(terminalId) ?? this.#names.size;
    this.#names.set(terminalId, name);
    this.#entries.push(encodeEntry(timestamp, this.#textBytes, this.#markBytes, name, TYPES.indexOf(type)));
    return true;
  }

  /** Returns the block and its signature, as they are stored. */
  encoded(): { bytes: Buffer; signature: Uint8Array } {
    return { bytes: this.encode(), signature: this.signature };
  }

  encode(): Buffer {
    const names = Buffer.from(JSON.stringify([...this.#names.keys()]), 'utf8');
    const header = Buffer.alloc(HEADER_BYTES);
    const block = Buffer.concat([header, ...this.#texts, ...this.#marks, names, ...this.#entries]);
    const numbers = [VERSION, 0, this.#entries.length, this.#textBytes, this.#markBytes, names.length];
    numbers.forEach((number, index) => {
      block.writeUInt32LE(number, index * 4);
    });
    block.writeUInt32LE(crc32(block.subarray(CHECKED_FROM)), 4);
    return block;
  }
}

function encodeEntry(timestamp: number, ...numbers: number[]): Buffer {
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.writeDoubleLE(timestamp, 0);
  numbers.forEach((number, index) => {
    entry.writeUInt32LE(number, 8 + index * 4);
  });
  return entry;
}

/** Position of a document in its block, with its facts. */
export interface Entry {
  terminalId: string;
  type: DocumentType;
  /** Epoch milliseconds. */
  timestamp: number;
  /** Byte range of its folded text. */
  begin: number;
  end: number;
}

/**
 * Reads a block in place. The next read of the store may overwrite its bytes, so do not keep the view or its `text`.
 */
export class BlockView {
  readonly #bytes: Buffer;
  readonly #names: number;
  readonly #entries: number;
  readonly #textBytes: number;
  /** Number of documents in the block. */
  readonly count: number;
  #terminals: string[] | undefined;

  /** Throws when the bytes are no block; see {@link isIntact}, too. */
  constructor(bytes: Buffer) {
    if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== VERSION) {
      throw new Error('not a block of this version');
    }
    const [count, text, marks, names] = [8, 12, 16, 20].map((at) => bytes.readUInt32LE(at)) as [
      number,
      number,
      number,
      number,
    ];
    this.#bytes = bytes;
    this.count = count;
    this.#textBytes = text;
    this.#names = HEADER_BYTES + text + marks;
    this.#entries = this.#names + names;
    if (this.#entries + count * ENTRY_BYTES !== bytes.length) throw new Error('lengths do not add up');
  }

  /** The folded text of all documents. */
  get text(): Buffer {
    return this.#bytes.subarray(HEADER_BYTES, HEADER_BYTES + this.#textBytes);
  }

  /** Returns whether the block is as it was written. If it is not, anything read from it may be wrong. */
  isIntact(): boolean {
    return crc32(this.#bytes.subarray(CHECKED_FROM)) === this.#bytes.readUInt32LE(4);
  }

  /** Returns the index of the document that holds the byte of the text at `offset`. */
  indexAt(offset: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#number(middle, 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  entry(index: number): Entry {
    this.#terminals ??= JSON.parse(this.#bytes.toString('utf8', this.#names, this.#entries)) as string[];
    return {
      terminalId: this.#terminals[this.#number(index, 2)] ?? '',
      type: TYPES[this.#number(index, 3)] ?? 'output',
      timestamp: this.#bytes.readDoubleLE(this.#entries + index * ENTRY_BYTES),
      begin: index === 0 ? 0 : this.#number(index - 1, 0),
      end: this.#number(index, 0),
    };
  }

  /** Returns a document's text, folded and original. */
  content(index: number): { folded: string; content: string } {
    const { begin, end } = this.entry(index);
    const text = this.text.toString('utf8', begin, end);
    const marks = this.#bytes.subarray(HEADER_BYTES + this.#textBytes, this.#names);
    const from = index === 0 ? 0 : this.#number(index - 1, 1);
    return {
      folded: text,
      content: unfold({ text, marks: marks.subarray(from, this.#number(index, 1)) }),
    };
  }

  /** Returns a number of an entry: end of text, end of marks, name, type. */
  #number(index: number, place: number): number {
    return this.#bytes.readUInt32LE(this.#entries + index * ENTRY_BYTES + 8 + place * 4);
  }
}
