import { DomainError } from '../../contract/errors.js';
import { DEFAULT_OUTPUT_LINES } from '../../contract/limits.js';
import type { OutputPage } from '../../contract/terminal.js';
import type { OutputQuery } from './protocol.js';
import { renderPrinted } from './screen/printed.js';
import type { ScreenKeeper, ScreenView } from './screen-keeper.js';

/** Where a client has read up to: a position in the output, and where the cursor stood on the screen there. */
export interface ReadCursor {
  position: number;
  row: number;
  col: number;
  altScreen: boolean;
}

/** The opaque form that clients hold. */
export function encodeCursor({ position, row, col, altScreen }: ReadCursor): string {
  return [position, row, col, altScreen ? 1 : 0].map((part) => part.toString(36)).join('-');
}

/** Reads {@link encodeCursor}; `end` is the position after the last byte. Throws `invalid-cursor`. */
export function decodeCursor(text: string, end: number): ReadCursor {
  if (!/^[0-9a-z]{1,11}-[0-9a-z]{1,4}-[0-9a-z]{1,4}-[01]$/.test(text))
    throw new DomainError('invalid-cursor');
  const [position = 0, row = 0, col = 0, alt = 0] = text.split('-').map((part) => Number.parseInt(part, 36));
  if (position > end) throw new DomainError('invalid-cursor');
  return { position, row, col, altScreen: alt === 1 };
}

/**
 * The page of `lines` that SPEC.md's output rules select: offset 0 is the last `count` lines, another offset
 * pages forward from that line.
 */
export function page(lines: string[], count: number, offset: number): OutputPage {
  const begin = offset === 0 ? Math.max(0, lines.length - count) : offset;
  return { totalLines: lines.length, offset, raw: lines.slice(begin, begin + count).join('\n') };
}

/** A page of the printed lines of scrollback and screen. */
export function readLines(keeper: ScreenKeeper, query: OutputQuery): Promise<OutputPage> {
  const { lines: count = DEFAULT_OUTPUT_LINES, offset } = query;
  return keeper.ask((view) => ({
    ...page(view.screen.lines(), count, offset),
    cursor: encodeCursor(cursorOf(view)),
  }));
}

/** What was printed after the cursor `since`, or a page of it. */
export async function readSince(
  keeper: ScreenKeeper,
  since: string,
  query: OutputQuery,
): Promise<OutputPage> {
  const { from, to, printed } = await keeper.ask((view) => {
    const to = cursorOf(view);
    const from = decodeCursor(since, to.position);
    return { from, to, printed: view.history.between(from.position, to.position) };
  });
  const { gap, size, segments } = printed;
  // What is left after a gap begins with a line of its own, wherever the cursor stood before.
  const start = gap ? { ...size, row: size.rows - 1, col: 0, altScreen: false } : { ...size, ...from };
  const lines = await renderPrinted(segments, start);
  return { ...page(lines, query.lines ?? lines.length, query.offset), cursor: encodeCursor(to), gap };
}

/** Where reading may go on: before a sequence that is not finished, so that it is read whole. */
export function cursorOf({ screen, position }: ScreenView): ReadCursor {
  return { position: position - screen.pendingLength, ...screen.cursor() };
}
