import type { PrintStart } from '../text/print-start.js';
import type { Segment } from '../text/printed.js';
import { TextStream } from '../text/text-stream.js';
import { columnAfter, columnAfterTab } from '../xterm/columns.js';
import { MIN_XTERM_COLS } from '../xterm/terminal.js';

const TAB = '\t';

/** Bytes read between checks for output that is not plain. Such output mostly shows early; then reading stops. */
const SLICE_BYTES = 8 * 1024;

const ASCII = /^[\x00-\x7f]*$/;

/** Matches all but ASCII and the most frequent other characters: testing each of them for NO_COLUMN is expensive. */
const RARE =
  /[^\x00-\xac\xae-\u02ff\u0391-\u03ce\u0400-\u0481\u2010-\u2027\u2030-\u205e\u2190-\u27bf\u3041-\u3096\u30a1-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]+/g;

/**
 * Characters that take no column, which a screen adds to a cell or drops by its own rules; and U+FFFD, which replaces
 * invalid UTF-8. All other characters take one or two columns, and their text is the same however lines wrap.
 */
const NO_COLUMN = /[\p{M}\p{Cf}\p{Cn}\u1160-\u11ff\ufffd]/u;

/** Lines as they were written, with blanks in place of tabs and nothing cut. */
export interface WrittenLines {
  lines: string[];
  /** Whether all characters are ASCII, so that each takes one column. */
  isAscii: boolean;
  /** Whether the cursor ends on the first column, with no sequence or character unfinished. */
  isAtLineStart: boolean;
}

/** Returns all lines, even empty lines, of output that is written line by line; undefined where only a screen knows them. */
export function writtenLines(segments: readonly Segment[], start: PrintStart): WrittenLines | undefined {
  const stream = new TextStream(start.col > 0);
  let text = '';
  for (const segment of segments) {
    if (!('bytes' in segment)) return undefined;
    for (let from = 0; from < segment.bytes.length; from += SLICE_BYTES) {
      text += stream.push(segment.bytes.subarray(from, from + SLICE_BYTES));
      if (stream.isBroken || stream.isStaircase) return undefined;
    }
  }
  return linesIn(text, stream.isAtLineStart, start);
}

/** Returns the lines of a text, as they take their columns on a screen; undefined where only a screen can tell. */
export function linesIn(text: string, isAtLineStart: boolean, start: PrintStart): WrittenLines | undefined {
  const isAscii = ASCII.test(text);
  if (!isAscii && NO_COLUMN.test(text.match(RARE)?.join('') ?? '')) return undefined;
  const lines = text.split('\n');
  const hasTabs = !start.altScreen && text.includes(TAB);
  if (hasTabs && !expandTabs(lines, start)) return undefined;
  return { lines, isAscii, isAtLineStart };
}

/** Replaces tabs with blanks, in place. Returns false when only a screen knows the number of blanks. */
function expandTabs(lines: string[], { cols, col }: PrintStart): boolean {
  for (const [index, line] of lines.entries()) {
    if (!line.includes(TAB)) continue;
    if (!ASCII.test(line) || (index === 0 && col > 0)) return false;
    lines[index] = expanded(line, Math.max(cols, MIN_XTERM_COLS));
  }
  return true;
}

/** Replaces tabs with blanks. A tab goes no further than the last column, and does nothing once text is there. */
function expanded(line: string, cols: number): string {
  const [first = '', ...rest] = line.split(TAB);
  let text = first;
  let column = columnAfter(0, first.length, cols);
  for (const part of rest) {
    const stop = columnAfterTab(column, cols);
    text += ' '.repeat(stop - column) + part;
    column = columnAfter(stop, part.length, cols);
  }
  return text;
}
