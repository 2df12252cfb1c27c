import { trimBlanks } from '../text/lines.js';
import type { PrintStart } from '../text/print-start.js';
import type { Segment } from '../text/printed.js';
import { editedLines } from './edited-lines.js';
import { writtenLines } from './written-lines.js';

/** Result of {@link plainLines}. */
export interface PlainLines {
  /** Lines that have text, joined with line feeds. */
  text: string;
  lineFeeds: number;
  /** Whether each line is known to take only one row. */
  isUnwrapped: boolean;
  /** Whether the cursor ends on the first column, with no sequence or character unfinished. */
  isAtLineStart: boolean;
}

/**
 * Returns the lines that `renderPrinted` returns for output that is written line by line, or edited within a row as by a
 * shell, at a tenth of the cost, and without text drawn on an alternate screen. Undefined for all other output, and
 * where only a screen knows the lines: for resizes, for tabs beside wide characters, and for combining characters.
 */
export function plainLines(segments: readonly Segment[], start: PrintStart): PlainLines | undefined {
  const written = writtenLines(segments, start) ?? editedLines(segments, start);
  if (!written) return undefined;
  const { lines, isAscii, isAtLineStart } = written;
  const lineFeeds = lines.length - 1;
  if (start.altScreen) return { text: '', lineFeeds, isUnwrapped: false, isAtLineStart };
  const isUnwrapped = isAscii && start.col === 0 && lines.every(({ length }) => length <= start.cols);
  return { text: withoutBlanks(lines), lineFeeds, isUnwrapped, isAtLineStart };
}

/** Returns the lines that have text, without their trailing blanks, joined by line feeds. */
function withoutBlanks(lines: readonly string[]): string {
  const kept: string[] = [];
  for (const line of lines) {
    const text = trimBlanks(line);
    if (text !== '') kept.push(text);
  }
  return kept.join('\n');
}
