import { PIECES } from '../fleet/output-history.js';

/** In units of the drawing. */
export const HEIGHT = 12;
const STEP = 2;
export const WIDTH = PIECES * STEP;
/** Each power of ten is as much higher as the one before: a prompt shows, and a flood does not dwarf it. */
const FULL_POWER = 6;

/** Returns a bar for each piece with output, as the path of an SVG. */
export function barsOf(bytes: readonly number[]): string {
  return bytes
    .map((each, at) => {
      if (each === 0) return '';
      const height = Math.min(HEIGHT, Math.ceil((Math.log10(1 + each) / FULL_POWER) * HEIGHT));
      return `M${at * STEP + STEP / 2} ${HEIGHT}v-${height}`;
    })
    .join('');
}
