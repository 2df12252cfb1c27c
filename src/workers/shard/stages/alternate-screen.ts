import type { Segment } from '../history.js';

/** Matches modes 47, 1047, 1049, alone or among others, 7-bit or 8-bit; and a full reset, which also leaves it. */
const SWITCH = /(?:\x1b\[|\xc2\x9b)\?(?:\d*;)*(?:47|1047|1049)(?:;\d*)*[hl]|\x1bc/;

/** Returns whether output contains anything that may enter or leave the alternate screen. */
export function mayTurnScreen(segments: readonly Segment[]): boolean {
  const bytes = segments.flatMap((segment) => ('bytes' in segment ? [segment.bytes] : []));
  return SWITCH.test(Buffer.concat(bytes).toString('latin1'));
}
