import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A face of a font file: the only face of a TrueType or OpenType file, or one of a collection. */
export interface Face {
  path: string;
  /** First four bytes of a file that has this face alone. */
  version: number;
  tables: ReadonlyMap<string, Table>;
}

interface Table {
  checksum: number;
  /** In bytes from the beginning of the file. */
  offset: number;
  length: number;
}

/** Thrown for a file that is broken, or no font that this project reads. */
export class NotAFont extends Error {}

const COLLECTION = 0x74746366; // ttcf
const VERSIONS = [0x00010000, 0x4f54544f, 0x74727565]; // TrueType, OTTO, true
const HEADER_BYTES = 12;
const RECORD_BYTES = 16;
/** Bounds against hostile and broken files; fonts have some 20 tables, collections some 10 faces. */
const MAX_FACES = 64;
const MAX_TABLES = 128;

/** Returns the faces of a font file. Reads only their table directories. Throws `NotAFont`, or an error of the system. */
export function facesOf(path: string): Face[] {
  return withFile(path, (read) => {
    const header = read(0, HEADER_BYTES);
    if (header.readUInt32BE(0) !== COLLECTION) return [faceAt(path, 0, read)];
    const count = Math.min(header.readUInt32BE(8), MAX_FACES);
    const offsets = read(HEADER_BYTES, count * 4);
    return Array.from({ length: count }, (_, index) => faceAt(path, offsets.readUInt32BE(index * 4), read));
  });
}

type Read = (offset: number, length: number) => Buffer;

function faceAt(path: string, offset: number, read: Read): Face {
  const header = read(offset, HEADER_BYTES);
  const version = header.readUInt32BE(0);
  const count = header.readUInt16BE(4);
  if (!VERSIONS.includes(version) || count > MAX_TABLES) throw new NotAFont(path);
  const records = read(offset + HEADER_BYTES, count * RECORD_BYTES);
  const tables = new Map<string, Table>();
  for (let at = 0; at < records.length; at += RECORD_BYTES)
    tables.set(records.toString('latin1', at, at + 4), {
      checksum: records.readUInt32BE(at + 4),
      offset: records.readUInt32BE(at + 8),
      length: records.readUInt32BE(at + 12),
    });
  return { path, version, tables };
}

/**
 * Returns one table of a face; undefined if the face has none. Throws `NotAFont` if the file ends within it or it has
 * more than `maxBytes`, or an error of the system.
 */
export function tableOf({ path, tables }: Face, tag: string, maxBytes: number): Buffer | undefined {
  const table = tables.get(tag);
  if (!table) return undefined;
  if (table.length > maxBytes) throw new NotAFont(path);
  return withFile(path, (read) => read(table.offset, table.length));
}

/** Returns the size in bytes of the file that `fileOf` returns. */
export function bytesOf({ tables }: Face): number {
  let bytes = HEADER_BYTES + tables.size * RECORD_BYTES;
  for (const { length } of tables.values()) bytes += aligned(length);
  return bytes;
}

/** Returns a font file that has this face alone. Skia reads only the first face of a collection. */
export function fileOf(face: Face): ArrayBuffer {
  const file = Buffer.from(new ArrayBuffer(bytesOf(face)));
  file.writeUInt32BE(face.version, 0);
  file.writeUInt16BE(face.tables.size, 4);
  withFile(face.path, (read) => {
    let record = HEADER_BYTES;
    let end = HEADER_BYTES + face.tables.size * RECORD_BYTES;
    for (const [tag, { checksum, offset, length }] of face.tables) {
      file.write(tag, record, 'latin1');
      for (const [index, value] of [checksum, end, length].entries())
        file.writeUInt32BE(value, record + 4 + index * 4);
      read(offset, length).copy(file, end);
      end += aligned(length);
      record += RECORD_BYTES;
    }
  });
  return file.buffer;
}

/** Tables begin at multiples of four bytes. */
function aligned(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function withFile<Result>(path: string, use: (read: Read) => Result): Result {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    return use((offset, length) => {
      // Before the allocation: a broken file may name any length.
      if (offset + length > size) throw new NotAFont(path);
      const bytes = Buffer.alloc(length);
      if (readSync(file, bytes, 0, length, offset) < length) throw new NotAFont(path);
      return bytes;
    });
  } finally {
    closeSync(file);
  }
}
