import { type Face, NotAFont, tableOf } from './sfnt.js';

/** Most bytes of the table of names: the names in a few hundred languages and a licence fit. */
const MAX_NAME_BYTES = 1 << 20;
const HEADER_BYTES = 6;
const RECORD_BYTES = 12;

/** Numbers of names: that of the family, and that of the family with all its weights, which is preferred. */
const FAMILY = 1;
const TYPOGRAPHIC_FAMILY = 16;

const UNICODE = 0;
const MACINTOSH = 1;
const WINDOWS = 3;

/** Returns the name of a face's family, in English if it has one; undefined if there is none. Throws as `tableOf`. */
export function familyOf(face: Face): string | undefined {
  const table = tableOf(face, 'name', MAX_NAME_BYTES);
  if (!table) return undefined;
  if (table.length < HEADER_BYTES) throw new NotAFont(face.path);
  const count = table.readUInt16BE(2);
  const strings = table.readUInt16BE(4);
  if (table.length < HEADER_BYTES + count * RECORD_BYTES) throw new NotAFont(face.path);
  let best = 0;
  let family: string | undefined;
  for (let index = 0; index < count; index++) {
    const at = HEADER_BYTES + index * RECORD_BYTES;
    const [platform, , language, name, length, offset] = Array.from({ length: 6 }, (_, field) =>
      table.readUInt16BE(at + field * 2),
    ) as [number, number, number, number, number, number];
    if (name !== FAMILY && name !== TYPOGRAPHIC_FAMILY) continue;
    const score = (name === TYPOGRAPHIC_FAMILY ? 10 : 0) + scoreOf(platform, language);
    if (score <= best) continue;
    best = score;
    const text = table.subarray(strings + offset, strings + offset + length);
    family = platform === MACINTOSH ? text.toString('latin1') : fromBigEndian(text);
  }
  return family;
}

/** Returns the preference for a name: highest for English, by which fonts are known; 0 for a name that is not read. */
function scoreOf(platform: number, language: number): number {
  // The lower ten bits of a language of Windows are the same for all its countries.
  if (platform === WINDOWS) return (language & 0x3ff) === 9 ? 4 : 1;
  if (platform === MACINTOSH) return language === 0 ? 3 : 0;
  return platform === UNICODE ? 2 : 0;
}

function fromBigEndian(text: Buffer): string {
  return Buffer.from(text.subarray(0, text.length & ~1))
    .swap16()
    .toString('utf16le');
}
