import unicode11 from '@xterm/addon-unicode11';
import xterm, { type Terminal } from '@xterm/headless';
import { type BufferInternals, Content, internals, type LineInternals, NULL_CONTENT } from './internals.js';

/** xterm keeps at least this many columns, since a wide character must fit. */
const MIN_XTERM_COLS = 2;

/** An xterm that counts widths as browsers here do, and says nothing on the console. */
export function createTerminal(cols: number, rows: number, scrollback: number): Terminal {
  const term = new xterm.Terminal({
    cols: Math.max(cols, MIN_XTERM_COLS),
    rows,
    scrollback,
    allowProposedApi: true,
    logLevel: 'off',
  });
  term.loadAddon(new unicode11.Unicode11Addon());
  term.unicode.activeVersion = '11';
  return term;
}

/**
 * Parses `data` now. xterm parses the first write after user input at once, which `input('')` is; otherwise it
 * waits for a timer. Throws when that is not so, since output and questions would lose their order.
 */
export function writeSync(term: Terminal, data: Uint8Array | string): void {
  if (data.length === 0) return;
  let isParsed = false;
  term.input('', true);
  term.write(data, () => {
    isParsed = true;
  });
  if (!isParsed) throw new Error('xterm did not parse at once: it failed before, or is another version');
}

/**
 * Rewraps lines as xterm does, but for its faults: rows that it overwrites by mistake, and what it leaves behind
 * that no escape sequence gives, so that the screen could not be serialized any more.
 */
export function resizeTerminal(term: Terminal, cols: number, rows: number): void {
  const { normal, alt } = internals(term).buffers;
  // Rewrapping a full scrollback writes to indices below 0, which are the last rows unless the ring begins at 0.
  // This makes it.
  normal.lines.maxLength++;
  normal.lines.maxLength--;
  for (let index = 0; index < normal.lines.length; index++) forgetOverwritten(normal.lines.get(index)!);
  term.resize(Math.max(cols, MIN_XTERM_COLS), rows);
  mendRows(normal, rows);
  // Not shortened while it is not shown, it would get a scrollback of its own.
  if (alt.lines.length === 0) alt.lines.maxLength = rows;
  // Its rows would keep what is past the edge, and show it again in a wider terminal.
  for (let index = 0; index < alt.lines.length; index++) cutRow(alt.lines.get(index)!, term.cols);
  for (let index = 0; index < normal.lines.length; index++) cutRow(normal.lines.get(index)!, term.cols);
  // Widening sets new ones in any case.
  for (const { tabs } of [normal, alt]) {
    for (const stop in tabs) if (Number(stop) >= term.cols) delete tabs[stop];
  }
}

/** Rewrapping can leave the screen's beginning too far down, and the saved cursor above all rows. */
function mendRows(buffer: BufferInternals, rows: number): void {
  const cursor = buffer.ybase + buffer.y;
  buffer.savedY = Math.max(buffer.savedY, 0);
  while (buffer.lines.length < rows) buffer.lines.push(buffer.getBlankLine());
  if (buffer.ybase + rows <= buffer.lines.length) return;
  buffer.ybase = buffer.lines.length - rows;
  buffer.ydisp = buffer.ybase;
  buffer.y = Math.min(cursor - buffer.ybase, rows - 1);
}

/** Rewrapping would put combined characters that were overwritten long ago into other cells. */
function forgetOverwritten({ _combined: combined, _data: data }: LineInternals): void {
  for (const col in combined) if (!(data[Number(col) * 3]! & Content.combined)) delete combined[col];
}

function cutRow(line: LineInternals, cols: number): void {
  if (line.length > cols) line.resize(cols, undefined);
  const last = cols - 1;
  // Half of a wide character.
  if (line._data[last * 3]! >>> Content.widthShift === 2) line._data[last * 3] = NULL_CONTENT;
}
