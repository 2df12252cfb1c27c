import { DEFAULT_OUTPUT_LINES } from '../../contract/limits.js';
import type { OutputPage } from '../../contract/terminal.js';
import type { History } from './history.js';
import { keepEnd } from './keep-end.js';
import type { OutputQuery, ReadPage } from './protocol.js';
import { decodeCursor, encodeCursor, type ReadCursor } from './read-cursor.js';
import type { RenderTurns } from './render-turns.js';
import { type PlainLines, plainLines } from './screen/plain-lines.js';
import { type PrintStart, renderPrinted } from './screen/printed.js';
import type { ScreenKeeper } from './screen-keeper.js';

export { decodeCursor, encodeCursor, type ReadCursor };

const BEGINNING: ReadCursor = { position: 0, row: 0, col: 0, altScreen: false };

/**
 * The page of `lines` that SPEC.md's output rules select: offset 0 is the last `count` lines, another offset
 * pages forward from that line.
 */
export function page(lines: Pick<string[], 'length' | 'slice'>, count: number, offset: number): OutputPage {
  const begin = offset === 0 ? Math.max(0, lines.length - count) : offset;
  return { totalLines: lines.length, offset, raw: lines.slice(begin, begin + count).join('\n') };
}

/** A page of the printed lines of scrollback and screen. */
export async function readLines(keeper: ScreenKeeper, query: OutputQuery): Promise<ReadPage> {
  const { lines: count = DEFAULT_OUTPUT_LINES, offset } = query;
  const answer = await keeper.askLines((view) => ({
    ...page(view.lines, count, offset),
    cursor: encodeCursor(view.cursor),
  }));
  return { ...answer, ...cut(answer.raw, query) };
}

/** Where what was printed is read. */
export interface PrintSource {
  keeper: ScreenKeeper;
  renders: RenderTurns;
}

/** What was printed after the cursor `since`, or a page of it. */
export async function readSince(source: PrintSource, since: string, query: OutputQuery): Promise<ReadPage> {
  const { to, gap, lines } = await printedSince(source, since);
  const answer = page(lines, query.lines ?? lines.length, query.offset);
  return { ...answer, cursor: encodeCursor(to), gap, ...cut(answer.raw, query) };
}

/** Lines that were printed after a cursor, null for all that is kept. */
export interface PrintedLines {
  from: ReadCursor;
  /** Up to here. */
  to: ReadCursor;
  /** Older output has gone from the history. */
  gap: boolean;
  lines: string[];
}

/** Throws `invalid-cursor`. */
export async function printedSince(
  { keeper, renders }: PrintSource,
  since: string | null,
): Promise<PrintedLines> {
  const { from, to, printed } = await keeper.askPlace(({ cursor: to, history }) => {
    const from = since === null ? BEGINNING : decodeCursor(since, to.position);
    return { from, to, printed: history.between(from.position, to.position) };
  });
  const { gap, segments } = printed;
  const start = startOf(printed, from);
  // What an alternate screen shows counts here.
  const plain = start.altScreen ? undefined : plainLines(segments, start);
  const lines = plain ? linesOf(plain) : await renders.take(() => renderPrinted(segments, start));
  return { from, to, gap, lines };
}

function linesOf({ text }: PlainLines): string[] {
  return text === '' ? [] : text.split('\n');
}

/** How the screen stands where a stretch of the history begins. */
export function startOf({ gap, size }: ReturnType<History['between']>, from: ReadCursor): PrintStart {
  // What is left after a gap begins with a line of its own, wherever the cursor stood before.
  return gap ? { ...size, row: size.rows - 1, col: 0, altScreen: false } : { ...size, ...from };
}

function cut(raw: string, { maxBytes }: OutputQuery): { raw: string; truncated?: boolean } {
  if (maxBytes === undefined) return { raw };
  const { text, truncated } = keepEnd(raw, maxBytes);
  return { raw: text, truncated };
}
