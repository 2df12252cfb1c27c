import { RGB_COLOR, RUN_FLAGS } from '../../../../contract/run-style.js';
import type { Run } from '../../../../contract/screen-rows.js';
import {
  type Attributes,
  colorOf,
  EXTENDED,
  flagsOf,
  hasUnderline,
  isBlinking,
} from '../serialize/attributes.js';
import { attributesAt, textAt } from '../serialize/cells.js';
import { Content, type LineInternals } from '../xterm/internals.js';

const DEFAULT_COLOR = -1;

/** Contents of a row. */
export interface RowRuns {
  runs: Run[];
  /** Whether the words of the row's cells determine its runs: then equal words mean equal runs. */
  areWordsAll: boolean;
}

/** A run that grows. */
interface Growing {
  text: string;
  columns: number;
  fg: number;
  bg: number;
  flags: number;
  isWide: boolean;
}

/** Returns the row as runs of text in one style, up to the last column that shows anything. */
export function rowRuns(line: LineInternals, cols: number): RowRuns {
  const runs: Growing[] = [];
  let areWordsAll = true;
  for (let col = 0; col < cols; ) {
    const content = line._data[col * 3]!;
    const columns = content >>> Content.widthShift || 1;
    if (content & Content.combined || line._data[col * 3 + 2]! & EXTENDED) areWordsAll = false;
    add(runs, attributesAt(line, col), textAt(line, col) || ' ', Math.min(columns, cols - col));
    col += columns;
  }
  const last = runs.at(-1);
  if (last && isPlain(last)) last.text = last.text.replace(/ +$/, '');
  if (last?.text === '') runs.pop();
  return { runs: runs.map(packed), areWordsAll };
}

function add(runs: Growing[], attributes: Attributes, text: string, columns: number): void {
  const last = runs.at(-1);
  const fg = colorNumber(attributes.fg);
  const bg = colorNumber(attributes.bg);
  const flags = flagNumber(attributes);
  // Where a character takes other columns than its neighbours, a client has to place it by itself.
  const isWide = columns !== text.length;
  const isSame = last && last.fg === fg && last.bg === bg && last.flags === flags && last.isWide === isWide;
  if (!isSame) runs.push({ text, columns, fg, bg, flags, isWide });
  else {
    last.text += text;
    last.columns += columns;
  }
}

function isPlain({ fg, bg, flags, isWide }: Growing): boolean {
  return fg === DEFAULT_COLOR && bg === DEFAULT_COLOR && flags === 0 && !isWide;
}

function packed(run: Growing): Run {
  if (isPlain(run)) return run.text;
  const { text, fg, bg, flags, columns, isWide } = run;
  return isWide ? [text, fg, bg, flags, columns] : [text, fg, bg, flags];
}

function colorNumber(word: number): number {
  const color = colorOf(word);
  if (color === undefined) return DEFAULT_COLOR;
  if (typeof color === 'number') return color;
  const [red, green, blue] = color;
  return RGB_COLOR + ((red << 16) | (green << 8) | blue);
}

function flagNumber(attributes: Attributes): number {
  const { fg, style, link } = attributes;
  // As xterm draws it: a link, too, is underlined.
  const isUnderlined = hasUnderline(fg) || style !== 0 || link !== 0;
  const { isBold, isDim, isItalic, isInverse, isHidden, isStruck, isOverlined } = flagsOf(attributes);
  return (
    (isBold ? RUN_FLAGS.bold : 0) |
    (isDim ? RUN_FLAGS.dim : 0) |
    (isItalic ? RUN_FLAGS.italic : 0) |
    (isUnderlined ? RUN_FLAGS.underline : 0) |
    (isBlinking(attributes) ? RUN_FLAGS.blink : 0) |
    (isInverse ? RUN_FLAGS.inverse : 0) |
    (isHidden ? RUN_FLAGS.hidden : 0) |
    (isStruck ? RUN_FLAGS.struck : 0) |
    (isOverlined ? RUN_FLAGS.overlined : 0)
  );
}
