/** The tables of a font, by name. */
export type Tables = Map<string, Buffer>;

const TRUETYPE = 0x00010000;
const RECORD_BYTES = 16;

/** Returns the tables of a file that has one font. */
export function tablesOf(file: Buffer): Tables {
  const tables: Tables = new Map();
  for (let at = 12; at < 12 + file.readUInt16BE(4) * RECORD_BYTES; at += RECORD_BYTES) {
    const [offset, length] = [file.readUInt32BE(at + 8), file.readUInt32BE(at + 12)];
    tables.set(file.toString('latin1', at, at + 4), file.subarray(offset, offset + length));
  }
  return tables;
}

/** Returns a file that has one font, or a collection of several. */
export function fontFile(...fonts: Tables[]): Buffer {
  const isCollection = fonts.length > 1;
  const header = Buffer.alloc(isCollection ? 12 + 4 * fonts.length : 0);
  if (isCollection) {
    header.write('ttcf', 'latin1');
    header.writeUInt32BE(0x00010000, 4);
    header.writeUInt32BE(fonts.length, 8);
  }
  const parts = [header];
  let end = header.length;
  for (const [index, tables] of fonts.entries()) {
    if (isCollection) header.writeUInt32BE(end, 12 + 4 * index);
    const directory = Buffer.alloc(12 + RECORD_BYTES * tables.size);
    directory.writeUInt32BE(TRUETYPE, 0);
    directory.writeUInt16BE(tables.size, 4);
    parts.push(directory);
    end += directory.length;
    for (const [at, [tag, table]] of [...tables].entries()) {
      directory.write(tag, 12 + RECORD_BYTES * at, 'latin1');
      directory.writeUInt32BE(end, 12 + RECORD_BYTES * at + 8);
      directory.writeUInt32BE(table.length, 12 + RECORD_BYTES * at + 12);
      const padded = Buffer.concat([table, Buffer.alloc(-table.length & 3)]);
      parts.push(padded);
      end += padded.length;
    }
  }
  return Buffer.concat(parts);
}

/** Returns a table of names from tuples of platform, language, number of the name, and the name. */
export function nameTable(...names: [number, number, number, string][]): Buffer {
  const header = Buffer.alloc(6 + 12 * names.length);
  header.writeUInt16BE(names.length, 2);
  header.writeUInt16BE(header.length, 4);
  const texts = names.map(([platform, , , name]) =>
    platform === 1 ? Buffer.from(name, 'latin1') : Buffer.from(name, 'utf16le').swap16(),
  );
  let offset = 0;
  for (const [index, [platform, language, number]] of names.entries()) {
    const fields = [platform, 0, language, number, texts[index]!.length, offset];
    for (const [field, value] of fields.entries()) header.writeUInt16BE(value, 6 + 12 * index + 2 * field);
    offset += texts[index]!.length;
  }
  return Buffer.concat([header, ...texts]);
}
