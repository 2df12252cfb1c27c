import { Pace, type Steps } from '../../steps.js';
import {
  type Attributes,
  DEFAULT_ATTRIBUTES,
  EXTENDED,
  PROTECTED,
  sameAttributes,
  sgr,
} from '../serialize/attributes.js';
import { attributesAt, textAt } from '../serialize/cells.js';
import { type BufferInternals, Content, type LineInternals } from '../xterm/internals.js';

/**
 * Returns the rows of a buffer from `first` on as `tmux capture-pane -e -p` prints them: text with SGR sequences, where
 * each row starts and ends with the default attributes. Trailing blanks are cut unless they have a colour or style.
 */
export function* styledRowSteps(buffer: BufferInternals, first: number): Steps<string[]> {
  const rows: string[] = [];
  const pace = new Pace();
  for (let index = first; index < buffer.lines.length; index++) {
    const line = buffer.lines.get(index)!;
    const row = styledRow(line);
    rows.push(row);
    if (pace.isOver(line.length + row.length)) yield;
  }
  return rows;
}

function styledRow(line: LineInternals): string {
  const end = visibleLength(line);
  let row = '';
  let attributes = DEFAULT_ATTRIBUTES;
  for (let col = 0; col < end; ) {
    const wanted = looksOf(attributesAt(line, col));
    if (!sameAttributes(attributes, wanted)) row += sgr(attributes, wanted).text;
    attributes = wanted;
    row += textAt(line, col) || ' ';
    col += line._data[col * 3]! >>> Content.widthShift || 1;
  }
  return sameAttributes(attributes, DEFAULT_ATTRIBUTES) ? row : `${row}\x1b[m`;
}

/** Returns the attributes that SGR can set, without links and protection. */
function looksOf({ fg, bg, style, underlineColor }: Attributes): Attributes {
  const flags = bg & ~(EXTENDED | PROTECTED);
  return { fg, bg: style === 0 ? flags : flags | EXTENDED, style, underlineColor, link: 0 };
}

/** Returns the number of columns up to the last column that shows anything: a character, or a blank with a style. */
function visibleLength(line: LineInternals): number {
  for (let end = line.length; end > 0; end--) {
    const text = textAt(line, end - 1);
    const isSecondHalf = line._data[(end - 1) * 3]! >>> Content.widthShift === 0;
    const isPlain = sameAttributes(looksOf(attributesAt(line, end - 1)), DEFAULT_ATTRIBUTES);
    if ((text !== '' && text !== ' ') || isSecondHalf || !isPlain) return end;
  }
  return 0;
}
