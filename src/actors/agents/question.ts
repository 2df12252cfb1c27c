import { unframed } from './scene.js';

/** Most rows of a question above and below the row that a rule has found. */
const ROWS_ABOVE = 20;
const ROWS_BELOW = 8;

/** A row that draws a line across the screen. It separates a dialog from the rows above and below. */
const LINE = /^[\s╭╮╰╯┌┐└┘├┤╞╡╘╛╒╕╔╗╚╝╠╣─━═╌╍┄┅┈┉╴╶╸╺▀▄▔▁]{4,}$/u;

/**
 * Returns the part of a screen that asks: the rows around `row`, up to the next lines across the screen, without their
 * frames and their common indentation. Blank rows at the ends are left out, and several in a row become one.
 *
 * @param row - from 0, the row by which the agent counts as waiting
 */
export function questionAt(rows: readonly string[], row: number): string {
  let from = row;
  while (from > Math.max(0, row - ROWS_ABOVE) && !isLine(rows[from - 1])) from--;
  let to = row + 1;
  while (to < Math.min(rows.length, row + 1 + ROWS_BELOW) && !isLine(rows[to])) to++;
  const block = rows.slice(from, to).map(withoutFrame);
  const indents = block.filter((text) => text !== '').map((text) => text.length - text.trimStart().length);
  const indent = Math.min(...indents);
  return block
    .map((text) => text.slice(indent))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
}

function isLine(row = ''): boolean {
  return LINE.test(row) && row.trim() !== '';
}

/** Returns the text of a row at its place, with blanks in place of the frame on its left. */
function withoutFrame(row: string): string {
  const text = unframed(row);
  return text === '' ? '' : ' '.repeat(row.indexOf(text)) + text;
}
