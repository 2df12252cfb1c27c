import type { Arms } from './box-arms.js';
import { between, type Rect } from './rect.js';

const HEAVY = 2;
const DOUBLE = 3;

/** Dimensions of lines in a cell of this size, in pixels. */
export interface LineWork {
  width: number;
  height: number;
  /** Thickness of light lines. */
  light: number;
  /** Thickness of heavy lines. */
  heavy: number;
  /** Distance of each double line from the middle. */
  offset: number;
}

export function lineWork(width: number, height: number): LineWork {
  const light = Math.max(1, Math.round(width / 9));
  return {
    width,
    height,
    light,
    heavy: light * (width < 6 ? 2 : 3),
    offset: Math.max(1, Math.floor(width / 4)),
  };
}

/** One arm, in coordinates along and across its own direction. */
interface Arm {
  weight: number;
  opposite: number;
  /** Weight of the crossing arm towards lesser coordinates. */
  lesser: number;
  /** Weight of the crossing arm towards greater coordinates. */
  greater: number;
  /** Whether the arm points towards greater coordinates. */
  isForward: boolean;
  /** Size of the cell along the arm. */
  along: number;
  /** Size of the cell across the arm. */
  across: number;
  place: (from: number, to: number, low: number, high: number) => Rect;
}

/** Returns the strokes of a character, which may overlap. They end exactly at the edges of the cell. */
export function strokesOf(arms: Arms, work: LineWork): Rect[] {
  const { up, right, down, left } = arms;
  const level = { lesser: up, greater: down, along: work.width, across: work.height, place: placeLevel };
  const upright = {
    lesser: left,
    greater: right,
    along: work.height,
    across: work.width,
    place: placeUpright,
  };
  return [
    { weight: right, opposite: left, isForward: true, ...level },
    { weight: left, opposite: right, isForward: false, ...level },
    { weight: down, opposite: up, isForward: true, ...upright },
    { weight: up, opposite: down, isForward: false, ...upright },
  ].flatMap((arm) => strokesOfArm(arm, work));
}

function placeLevel(from: number, to: number, low: number, high: number): Rect {
  return between(from, low, to, high);
}

function placeUpright(from: number, to: number, low: number, high: number): Rect {
  return between(low, from, high, to);
}

function strokesOfArm(arm: Arm, work: LineWork): Rect[] {
  const { weight, lesser, greater } = arm;
  if (weight === 0) return [];
  if (weight !== DOUBLE) return [stroke(arm, work, 0, startOfSingle(arm))];
  return [
    stroke(arm, work, -1, startOfDouble(lesser, greater)),
    stroke(arm, work, 1, startOfDouble(greater, lesser)),
  ];
}

/**
 * Returns where a single line begins, in `offset`s forward from the middle. At two double lines that it does not cross,
 * it begins at the nearer one; in a corner, at the farther one.
 */
function startOfSingle({ opposite, lesser, greater }: Arm): number {
  if (opposite !== 0) return 0;
  if (lesser === DOUBLE && greater === DOUBLE) return 1;
  return lesser === DOUBLE || greater === DOUBLE ? -1 : 0;
}

/** Returns where one of two double lines begins, by the crossing arms on its own side and on the other side. */
function startOfDouble(own: number, other: number): number {
  if (own === DOUBLE) return 1;
  return own === 0 && other === DOUBLE ? -1 : 0;
}

/** @param side - -1 or 1 for the lines of a double line, 0 for a single line */
function stroke(arm: Arm, work: LineWork, side: number, start: number): Rect {
  const thickness = arm.weight === HEAVY ? work.heavy : work.light;
  const low = Math.floor(arm.across / 2) + side * work.offset - Math.floor(thickness / 2);
  // Extends by the thickness of the crossing lines, so that corners are filled.
  const crossing = [arm.lesser, arm.greater].includes(HEAVY) ? work.heavy : work.light;
  const middle = Math.floor(arm.along / 2) - Math.floor(crossing / 2);
  const shift = start * work.offset;
  const [from, to] = arm.isForward ? [middle + shift, arm.along] : [0, middle - shift + crossing];
  return arm.place(from, to, low, low + thickness);
}
