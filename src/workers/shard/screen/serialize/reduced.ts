import type { Steps } from '../../steps.js';
import { rowTextAt } from '../text/lines.js';
import type { XtermInternals } from '../xterm/internals.js';
import { writeCharsets } from './charsets.js';
import { writeMargins, writeModes } from './modes.js';
import { Output } from './output.js';

/**
 * Reductions of a screen that is too large to be written whole, each leaving out more: `text` leaves out scrollback,
 * attributes, links, titles, tab stops, saved cursors, which rows were wrapped, and the normal screen under an
 * alternate screen; `letters` also combining characters; `blank` all text.
 */
export type Reduction = 'text' | 'letters' | 'blank';

/** Returns parts like serializeSteps does, reduced. Modes and the cursor's place are always kept. */
export function* reducedSteps(core: XtermInternals, reduction: Reduction): Steps<string[]> {
  const out = new Output(core);
  const { active, alt } = core.buffers;
  if (active === alt) out.raw('\x1b[?47h');
  if (reduction !== 'blank') {
    for (let row = 0; row < core.rows; row++) {
      if (out.pace.isOver(core.cols)) yield;
      const text = rowTextAt(active, row);
      if (text === '') continue;
      out.moveTo(row, 0);
      out.print(reduction === 'text' ? text : letters(core, text));
    }
  }
  writeModes(out);
  writeMargins(out, active);
  const { origin, wraparound } = core.coreService.decPrivateModes;
  if (origin) out.raw('\x1b[?6h');
  const row = origin ? Math.max(0, active.y - active.scrollTop) : active.y;
  out.moveTo(row, Math.min(active.x, core.cols - 1));
  writeCharsets(out);
  if (core.coreService.modes.insertMode) out.raw('\x1b[4h');
  if (!wraparound) out.raw('\x1b[?7l');
  return out.parts();
}

function letters({ unicodeService }: XtermInternals, text: string): string {
  let kept = '';
  for (const character of text) if (unicodeService.wcwidth(character.codePointAt(0)!) > 0) kept += character;
  return kept;
}
