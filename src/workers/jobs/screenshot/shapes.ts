import { type Filling, fillingOf } from './blocks.js';
import { armsOf } from './box-arms.js';
import { type LineWork, lineWork, strokesOf } from './box-lines.js';
import type { Rect } from './rect.js';
import type { DrawingSurface } from './skia/surface.js';

/** For each dashed character: dashes in a cell, whether they are vertical, whether heavy. */
const DASHES: Record<number, readonly [number, boolean, boolean]> = {
  ...{ 9476: [3, false, false], 9477: [3, false, true], 9478: [3, true, false], 9479: [3, true, true] },
  ...{ 9480: [4, false, false], 9481: [4, false, true], 9482: [4, true, false], 9483: [4, true, true] },
  ...{ 9548: [2, false, false], 9549: [2, false, true], 9550: [2, true, false], 9551: [2, true, true] },
};

/** For each rounded corner the edges it joins: right (1) or left (-1), and bottom (1) or top (-1). */
const CORNERS: Record<number, readonly [1 | -1, 1 | -1]> = {
  ...{ 9581: [1, 1], 9582: [-1, 1], 9583: [-1, -1], 9584: [1, -1] },
};

/** U+23BA to U+23BD: quarters of the way from the top of the cell to its bottom. The middle one is U+2500. */
const SCAN_LINES: Record<number, number> = { 9146: 0, 9147: 1, 9148: 3, 9149: 4 };

/**
 * Draws scan lines, box drawing characters, block elements, sextants, braille and Powerline arrows as geometry, since
 * the glyphs of fonts leave gaps between cells. Uses the colour of the surface. Returns false for all other
 * characters.
 */
export function drawShape(
  surface: DrawingSurface,
  codePoint: number,
  { x, y, width, height }: Rect,
): boolean {
  if (codePoint < 0x2500 && SCAN_LINES[codePoint] === undefined) return false;
  const cell = { x, y, width, height };
  const filling = fillingOf(codePoint, width, height);
  if (filling) {
    fill(surface, filling, cell);
    return true;
  }
  const work = lineWork(width, height);
  const arms = armsOf(codePoint);
  const strokes = arms ? strokesOf(arms, work) : (dashesOf(codePoint, work) ?? scanLine(codePoint, work));
  if (!strokes) return drawPath(surface, codePoint, cell, work);
  // One path for all strokes, so that a translucent colour does not add up where they overlap.
  for (const rect of strokes) surface.rect(x + rect.x, y + rect.y, rect.width, rect.height);
  surface.fill();
  return true;
}

/** Fills each part by itself, since the parts of a filling do not overlap. */
function fill(surface: DrawingSurface, { rects, alpha: own }: Filling, { x, y }: Rect): void {
  const { alpha } = surface;
  surface.alpha = alpha * own;
  for (const rect of rects) surface.fillRect(x + rect.x, y + rect.y, rect.width, rect.height);
  surface.alpha = alpha;
}

function dashesOf(codePoint: number, work: LineWork): Rect[] | undefined {
  const dashes = DASHES[codePoint];
  if (!dashes) return undefined;
  const [count, isUpright, isHeavy] = dashes;
  const thickness = isHeavy ? work.heavy : work.light;
  const [along, across] = isUpright ? [work.height, work.width] : [work.width, work.height];
  const low = Math.floor(across / 2) - Math.floor(thickness / 2);
  return Array.from({ length: count }, (_, index) => {
    const from = Math.round((index * along) / count);
    const length = Math.max(1, Math.round(((index + 1) * along) / count) - from - work.light);
    return isUpright
      ? { x: low, y: from, width: thickness, height: length }
      : { x: from, y: low, width: length, height: thickness };
  });
}

function scanLine(codePoint: number, { width, height, light }: LineWork): Rect[] | undefined {
  const quarters = SCAN_LINES[codePoint];
  if (quarters === undefined) return undefined;
  return [{ x: 0, y: Math.round(((height - light) * quarters) / 4), width, height: light }];
}

/** Draws rounded corners, diagonals, and the Powerline arrows U+E0B0 to U+E0B3; returns false for others. */
function drawPath(surface: DrawingSurface, codePoint: number, cell: Rect, work: LineWork): boolean {
  const { x, y, width, height } = cell;
  const [right, bottom] = [x + width, y + height];
  const corner = CORNERS[codePoint];
  const isArrow = codePoint >= 0xe0b0 && codePoint <= 0xe0b3;
  if (!corner && !isArrow && (codePoint < 0x2571 || codePoint > 0x2573)) return false;
  if (corner) traceCorner(surface, corner, cell, work);
  else if (isArrow) {
    const [base, tip] = codePoint < 0xe0b2 ? [x, right] : [right, x];
    surface.moveTo(base, y);
    surface.lineTo(tip, y + height / 2);
    surface.lineTo(base, bottom);
  } else {
    if (codePoint !== 0x2572) {
      surface.moveTo(x, bottom);
      surface.lineTo(right, y);
    }
    if (codePoint !== 0x2571) {
      surface.moveTo(x, y);
      surface.lineTo(right, bottom);
    }
  }
  if (codePoint === 0xe0b0 || codePoint === 0xe0b2) surface.fill();
  else surface.stroke(work.light);
  return true;
}

/** Traces a curve around the middle of the cell, and straight lines from it to the middles of two edges. */
function traceCorner(
  surface: DrawingSurface,
  [sideways, upright]: readonly [1 | -1, 1 | -1],
  { x, y, width, height }: Rect,
  { light }: LineWork,
): void {
  const middle = (start: number, length: number) =>
    start + Math.floor(length / 2) - Math.floor(light / 2) + light / 2;
  const [centerX, centerY] = [middle(x, width), middle(y, height)];
  const [endX, endY] = [sideways > 0 ? x + width : x, upright > 0 ? y + height : y];
  // The curve ends before the edge, so that the line at the edge is as sharp as in the neighbouring cell.
  const radius = Math.max(0, Math.min(width, height) / 2 - light);
  surface.moveTo(centerX, endY);
  surface.lineTo(centerX, centerY + upright * radius);
  surface.quadraticCurveTo(centerX, centerY, centerX + sideways * radius, centerY);
  surface.lineTo(endX, centerY);
}
