import unicode11 from '@xterm/addon-unicode11';
import type { Capture, TerminalSize } from '../../client/types.js';

interface Widths {
  wcwidth(codePoint: number): number;
}

/** Returns the widths of characters that the service's screens use. */
function widths(): Widths {
  let found: Widths | undefined;
  const register = (provider: Widths) => {
    found = provider;
  };
  new unicode11.Unicode11Addon().activate({ unicode: { register } } as never);
  if (!found) throw new Error('The addon has registered no widths');
  return found;
}

const WIDTHS = widths();

/** Picture of a screen whose size is not that of the outer terminal. */
interface Cropped {
  capture: Pick<Capture, 'content' | 'cursor_position'>;
  /** Size of the screen. */
  inner: TerminalSize;
  outer: TerminalSize;
  /** Says why the screen is not whole; drawn in the last row. */
  note: string;
}

/** Returns the output that draws the part of a screen around its cursor, with a note below. */
export function drawCropped({ capture, inner, outer, note }: Cropped): string {
  const [cursorRow, cursorCol] = capture.cursor_position ?? [0, 0];
  const height = Math.max(1, outer.rows - 1);
  const top = Math.max(0, Math.min(cursorRow - height + 1, inner.rows - height));
  const left = Math.max(0, cursorCol - outer.cols + 1);
  const rows = capture.content.split('\n').slice(top, top + height);
  let text = '';
  for (let row = 0; row < height; row++)
    text += rowAt(row, cropRow(rows[row] ?? '', left, outer.cols), outer);
  if (outer.rows > 1) {
    const cropped = cropRow(note, 0, outer.cols);
    text += rowAt(outer.rows - 1, { ...cropped, text: `\x1b[2m${cropped.text}` }, outer);
  }
  return `${text}\x1b[${cursorRow - top + 1};${cursorCol - left + 1}H`;
}

/** Part of a row, and the columns that it takes. */
interface CroppedRow {
  text: string;
  width: number;
}

function rowAt(row: number, { text, width }: CroppedRow, { cols }: TerminalSize): string {
  // In a full row, erasing to the end of the row would erase the last character.
  const rest = width < cols ? '\x1b[K' : '';
  return `\x1b[${row + 1};1H${text}\x1b[m${rest}`;
}

/** Returns the columns of a row from `left` on, at most `width`, with all of its SGR sequences before them. */
export function cropRow(row: string, left: number, width: number): CroppedRow {
  let text = '';
  let col = 0;
  let isLinked = false;
  for (const [piece] of row.matchAll(/\x1b\[[0-9;:]*m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|./gsu)) {
    if (piece.startsWith('\x1b')) {
      text += piece;
      if (piece.startsWith('\x1b]8;')) isLinked = !/^\x1b\]8;[^;]*;(?:\x07|\x1b)/.test(piece);
      continue;
    }
    const size = WIDTHS.wcwidth(piece.codePointAt(0)!);
    const end = col + size;
    if (end > left + width) break;
    // A mark belongs to the character before it.
    if (col >= left && end > left) text += piece;
    // The left edge cuts a wide character, and half a character cannot be drawn.
    else if (end > left) text += ' '.repeat(end - left);
    col = end;
  }
  // The end of a link may be cut off.
  return { text: isLinked ? `${text}\x1b]8;;\x1b\\` : text, width: Math.max(0, col - left) };
}
