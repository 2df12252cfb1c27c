import type { Segment } from '../history.js';

/** Modes 47, 1047 and 1049, alone or among others, as 7-bit or 8-bit sequence; and a full reset, which leaves it, too. */
const SWITCH = /(?:\x1b\[|\xc2\x9b)\?(?:\d*;)*(?:47|1047|1049)(?:;\d*)*[hl]|\x1bc/;

/** Whether output has anything in it that may show the alternate screen, or leave it. */
export function mayTurnScreen(segments: readonly Segment[]): boolean {
  const bytes = segments.flatMap((segment) => ('bytes' in segment ? [segment.bytes] : []));
  return SWITCH.test(Buffer.concat(bytes).toString('latin1'));
}
