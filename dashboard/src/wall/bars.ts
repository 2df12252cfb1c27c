import { PIECES } from '../fleet/output-history.js';

/** Height of a bar at its most, in units of the drawing. */
export const HEIGHT = 12;
const STEP = 2;
export const WIDTH = PIECES * STEP;
/**
 * Power of ten at which a bar has its full height. The scale is logarithmic: a prompt is visible, and a flood does not
 * dwarf it.
 */
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
