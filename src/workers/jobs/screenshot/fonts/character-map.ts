import { firstIndex } from '../../../first-index.js';
import { type Face, NotAFont, tableOf } from './sfnt.js';

/** Most bytes of the table; in the largest fonts it has some 500 KB. */
const MAX_BYTES = 1 << 23;
const HEADER_BYTES = 4;
const RECORD_BYTES = 8;

/** Whether a font has a glyph for a character. */
export type HasCharacter = (codePoint: number) => boolean;

/** Returns a test for the characters that a face has; reads no glyphs. Throws as `tableOf`, and for a broken table. */
export function charactersOf(face: Face): HasCharacter {
  const table = tableOf(face, 'cmap', MAX_BYTES);
  if (!table || table.length < HEADER_BYTES) throw new NotAFont(face.path);
  const maps = subtables(table);
  const full = maps.find((map) => formatOf(map) === 12);
  if (full) return groups(full);
  const basic = maps.find((map) => formatOf(map) === 4);
  if (basic) return segments(basic);
  throw new NotAFont(face.path);
}

/** Returns the maps from Unicode, each up to the end of the table. */
function subtables(table: Buffer): Buffer[] {
  const count = Math.min(table.readUInt16BE(2), Math.floor((table.length - HEADER_BYTES) / RECORD_BYTES));
  const found: Buffer[] = [];
  for (let index = 0; index < count; index++) {
    const at = HEADER_BYTES + index * RECORD_BYTES;
    const [platform, encoding] = [table.readUInt16BE(at), table.readUInt16BE(at + 2)];
    const isUnicode = platform === 0 || (platform === 3 && (encoding === 1 || encoding === 10));
    if (isUnicode) found.push(table.subarray(table.readUInt32BE(at + 4)));
  }
  return found;
}

function formatOf(map: Buffer): number {
  return map.length < 16 ? -1 : map.readUInt16BE(0);
}

/** Format 12: sorted groups of neighbours, three words each: first, last, glyph of the first. */
function groups(map: Buffer): HasCharacter {
  const count = Math.min(map.readUInt32BE(12), Math.floor((map.length - 16) / 12));
  return (codePoint) => {
    const index = firstIndex(count, (group) => map.readUInt32BE(16 + group * 12 + 4) >= codePoint);
    if (index === count) return false;
    const [first, glyph] = [map.readUInt32BE(16 + index * 12), map.readUInt32BE(16 + index * 12 + 8)];
    return first <= codePoint && glyph + codePoint - first !== 0;
  };
}

/** Format 4: sorted segments of neighbours below U+10000, in four lists: last, first, difference, place of glyphs. */
function segments(map: Buffer): HasCharacter {
  const count = Math.min(map.readUInt16BE(6) >> 1, Math.floor((map.length - 16) / 8));
  const word = (list: number, segment: number) => map.readUInt16BE(placeOf(list, segment));
  // Two bytes of padding lie between the first list and the second.
  const placeOf = (list: number, segment: number) => 14 + (list * count + segment) * 2 + (list === 0 ? 0 : 2);
  return (codePoint) => {
    if (codePoint > 0xffff) return false;
    const segment = firstIndex(count, (index) => word(0, index) >= codePoint);
    if (segment === count || word(1, segment) > codePoint) return false;
    const difference = word(2, segment);
    const distance = word(3, segment);
    if (distance === 0) return ((codePoint + difference) & 0xffff) !== 0;
    const place = placeOf(3, segment) + distance + (codePoint - word(1, segment)) * 2;
    const glyph = place + 2 <= map.length ? map.readUInt16BE(place) : 0;
    return glyph !== 0 && ((glyph + difference) & 0xffff) !== 0;
  };
}
