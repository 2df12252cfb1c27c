import { between, type Rect } from './rect.js';

/** Quadrants that U+2596 to U+259F fill: 1 upper left, 2 upper right, 4 lower left, 8 lower right. */
const QUADRANTS = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14];

/** Column and row of each dot of a braille pattern, by its bit. */
const DOTS = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [1, 1],
  [1, 2],
  [0, 3],
  [1, 3],
] as const;

/** Parts of a cell that a character fills, and their opacity, from 0 to 1. */
export interface Filling {
  rects: Rect[];
  alpha: number;
}

/** Returns the filling of block elements, sextants and braille; undefined for other characters. */
export function fillingOf(codePoint: number, width: number, height: number): Filling | undefined {
  if (codePoint >= 0x2591 && codePoint <= 0x2593)
    return { rects: [between(0, 0, width, height)], alpha: (codePoint - 0x2590) / 4 };
  const rects =
    partOf(codePoint, width, height) ??
    mosaicOf(codePoint, width, height) ??
    dotsOf(codePoint, width, height);
  return rects && { rects, alpha: 1 };
}

/** Returns the part that U+2580 to U+2595 fill: a half, or eighths from one edge. */
function partOf(codePoint: number, width: number, height: number): Rect[] | undefined {
  if (codePoint < 0x2580 || codePoint > 0x2595) return undefined;
  const wide = (eighths: number) => Math.round((width * eighths) / 8);
  const high = (eighths: number) => Math.round((height * eighths) / 8);
  if (codePoint === 0x2580) return [between(0, 0, width, high(4))];
  if (codePoint <= 0x2588) return [between(0, Math.min(high(0x2588 - codePoint), height - 1), width, height)];
  if (codePoint <= 0x258f) return [between(0, 0, atLeastOne(wide(0x2590 - codePoint)), height)];
  if (codePoint === 0x2594) return [between(0, 0, width, atLeastOne(high(1)))];
  return [between(codePoint === 0x2590 ? wide(4) : width - atLeastOne(wide(1)), 0, width, height)];
}

/** Returns the parts that quadrants, and the sextants U+1FB00 to U+1FB3B, fill. */
function mosaicOf(codePoint: number, width: number, height: number): Rect[] | undefined {
  if (codePoint >= 0x2596 && codePoint <= 0x259f)
    return partsOf(QUADRANTS[codePoint - 0x2596]!, 2, width, height);
  if (codePoint < 0x1fb00 || codePoint > 0x1fb3b) return undefined;
  const place = codePoint - 0x1fb00;
  // The sextants leave out the left and the right half, which are block elements.
  const bits = place + 1 + Number(place >= 20) + Number(place >= 40);
  return partsOf(bits, 3, width, height);
}

/** Returns the parts whose bit is set, of two columns and `rows` rows. */
function partsOf(bits: number, rows: number, width: number, height: number): Rect[] {
  const rects: Rect[] = [];
  for (let part = 0; part < rows * 2; part++) {
    if (!(bits & (1 << part))) continue;
    const [col, row] = [part % 2, Math.floor(part / 2)];
    const x = (at: number) => Math.round((width * at) / 2);
    const y = (at: number) => Math.round((height * at) / rows);
    rects.push(between(x(col), y(row), x(col + 1), y(row + 1)));
  }
  return rects;
}

/** Returns the dots of U+2800 to U+28FF, spread evenly over the cell, so that graphs made of them have no seams. */
function dotsOf(codePoint: number, width: number, height: number): Rect[] | undefined {
  if (codePoint < 0x2800 || codePoint > 0x28ff) return undefined;
  const size = atLeastOne(Math.round(width / 4.5));
  const set = DOTS.filter((_, bit) => codePoint & (1 << bit));
  return set.map(([col, row]) => {
    const x = Math.floor((width * (2 * col + 1)) / 4 - size / 2 + 0.5);
    const y = Math.floor((height * (2 * row + 1)) / 8 - size / 2 + 0.5);
    return between(x, y, x + size, y + size);
  });
}

function atLeastOne(pixels: number): number {
  return Math.max(1, pixels);
}
