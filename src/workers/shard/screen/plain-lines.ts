import { trimBlanks } from './lines.js';
import type { PrintStart } from './paper.js';
import type { Segment } from './printed.js';
import { MIN_XTERM_COLS } from './terminal.js';
import { TextStream } from './text-stream.js';

const TAB = '\t';
const TAB_WIDTH = 8;

/** Looked at for what is not plain: most of it comes early, and the rest need not be gone through. */
const SLICE_BYTES = 8 * 1024;

const ASCII = /^[\x00-\x7f]*$/;

/** All but the characters beyond ASCII that most of such text has: it is dear to ask for what each of them is. */
const RARE =
  /[^\x00-\xac\xae-\u02ff\u0391-\u03ce\u0400-\u0481\u2010-\u2027\u2030-\u205e\u2190-\u27bf\u3041-\u3096\u30a1-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]+/g;

/**
 * Characters that take no column, and go into a cell or are dropped by rules of the screen; and what stands for bytes
 * that are no UTF-8. All others take one column or two, and are text whatever wraps.
 */
const NO_COLUMN = /[\p{M}\p{Cf}\p{Cn}\u1160-\u11ff\ufffd]/u;

/** Output as {@link plainLines} takes it. */
export interface PlainLines {
  /** Joined with line feeds. */
  text: string;
  lineFeeds: number;
  /** Each line is known to take one row. */
  isUnwrapped: boolean;
  /** The cursor is left on the first column, and nothing is unfinished. */
  isAtLineStart: boolean;
}

/**
 * The lines that `renderPrinted` gives of output which is written line after line, at a tenth of the cost, without
 * what is drawn on an alternate screen. Undefined for all other output, and where it depends on a screen: when it is
 * resized, for tabs beside wide characters, and for combining ones.
 */
export function plainLines(segments: readonly Segment[], start: PrintStart): PlainLines | undefined {
  const written = writtenLines(segments, start);
  if (!written) return undefined;
  const { lines, isAscii, isAtLineStart } = written;
  const lineFeeds = lines.length - 1;
  if (start.altScreen) return { text: '', lineFeeds, isUnwrapped: false, isAtLineStart };
  const isUnwrapped = isAscii && start.col === 0 && lines.every(({ length }) => length <= start.cols);
  return { text: withoutBlanks(lines), lineFeeds, isUnwrapped, isAtLineStart };
}

/** Lines as they were written: blanks for tabs, nothing cut. */
export interface WrittenLines {
  lines: string[];
  /** Each character takes a column. */
  isAscii: boolean;
  /** The cursor is left on the first column, and nothing is unfinished. */
  isAtLineStart: boolean;
}

/** The lines of such output as {@link plainLines} is for, empty ones and all; undefined for all other output. */
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
  const isAscii = ASCII.test(text);
  if (!isAscii && NO_COLUMN.test(text.match(RARE)?.join('') ?? '')) return undefined;
  const lines = text.split('\n');
  const hasTabs = !start.altScreen && text.includes(TAB);
  if (hasTabs && !expandTabs(lines, start)) return undefined;
  return { lines, isAscii, isAtLineStart: stream.isAtLineStart };
}

/** Lines that have text, blanks at their ends cut. */
function withoutBlanks(lines: readonly string[]): string {
  const kept: string[] = [];
  for (const line of lines) {
    const text = trimBlanks(line);
    if (text !== '') kept.push(text);
  }
  return kept.join('\n');
}

/** Puts blanks where tabs are. False when it takes a screen to know how many. */
function expandTabs(lines: string[], { cols, col }: PrintStart): boolean {
  for (const [index, line] of lines.entries()) {
    if (!line.includes(TAB)) continue;
    if (!ASCII.test(line) || (index === 0 && col > 0)) return false;
    lines[index] = expanded(line, Math.max(cols, MIN_XTERM_COLS));
  }
  return true;
}

/** A tab goes no further than to the last column, and does nothing once that is printed on. */
function expanded(line: string, cols: number): string {
  const [first = '', ...rest] = line.split(TAB);
  let text = first;
  let column = columnAfter(0, first.length, cols);
  for (const part of rest) {
    const stop = Math.min(cols - 1, (Math.floor(column / TAB_WIDTH) + 1) * TAB_WIDTH);
    if (column < stop) {
      text += ' '.repeat(stop - column);
      column = stop;
    }
    text += part;
    column = columnAfter(column, part.length, cols);
  }
  return text;
}

/** The column past the last one is that of a cursor about to wrap. */
function columnAfter(column: number, printed: number, cols: number): number {
  return printed === 0 ? column : ((column + printed - 1) % cols) + 1;
}
