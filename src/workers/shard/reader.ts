import { DEFAULT_OUTPUT_LINES } from '../../contract/limits.js';
import type { OutputPage } from '../../contract/terminal.js';
import type { History } from './history.js';
import { keepEnd } from './keep-end.js';
import type { OutputQuery, PrintedSince, ReadPage } from './protocol.js';
import { decodeCursor, encodeCursor, type ReadCursor } from './read-cursor.js';
import type { RenderTurns } from './render-turns.js';
import type { PrintStart } from './screen/paper.js';
import { plainLines } from './screen/plain-lines.js';
import { plainText } from './screen/plain-text.js';
import { renderPrinted, renderText, type Segment } from './screen/printed.js';
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
  const { lines = Number.POSITIVE_INFINITY, offset, asLines } = query;
  const { to, gap, text } = await printedSince(source, since, asLines ? LINES : EXACT);
  const answer = asLines ? page(linesOf(text), lines, offset) : pageOfText(text, lines, offset);
  return { ...answer, cursor: encodeCursor(to), gap, ...cut(answer.raw, query) };
}

/** What was printed after the cursor, null for all that is kept; undefined when that is nothing. */
export async function readChange(
  source: PrintSource & { received: number },
  cursor: string | null,
  maxBytes: number,
): Promise<Omit<PrintedSince, 'id'> | undefined> {
  const begin = cursor === null ? 0 : decodeCursor(cursor, source.received).position;
  if (begin === source.received) return undefined;
  const { from, to, gap, text } = await printedSince(source, cursor, EXACT);
  if (to.position === from.position) return undefined;
  const { text: raw, truncated } = keepEnd(text, maxBytes);
  return { cursor: encodeCursor(to), raw, gap, truncated };
}

/** Text that was printed after a cursor, null for all that is kept. */
interface PrintedText {
  from: ReadCursor;
  /** Up to here. */
  to: ReadCursor;
  /** Older output has gone from the history. */
  gap: boolean;
  text: string;
}

/** How text is read from output. */
interface TextForm {
  /** At little cost, where it is written line after line; undefined for all else. */
  plain: (segments: readonly Segment[], start: PrintStart) => string | undefined;
  rendered: (segments: readonly Segment[], start: PrintStart) => Promise<string>;
}

/** A line that has ended has its line feed, so that texts of stretches that follow on each other are one text together. */
const EXACT: TextForm = { plain: plainText, rendered: renderText };

/** Lines that have text, joined with line feeds. */
const LINES: TextForm = {
  plain: (segments, start) => plainLines(segments, start)?.text,
  rendered: async (segments, start) => (await renderPrinted(segments, start)).join('\n'),
};

/** Throws `invalid-cursor`. */
async function printedSince(
  { keeper, renders }: PrintSource,
  since: string | null,
  form: TextForm,
): Promise<PrintedText> {
  const { from, to, printed } = await keeper.askPlace(({ cursor: to, history }) => {
    const from = since === null ? BEGINNING : decodeCursor(since, to.position);
    return { from, to, printed: history.between(from.position, to.position) };
  });
  const { gap, segments } = printed;
  const start = startOf(printed, from);
  // What an alternate screen shows counts here.
  const plain = start.altScreen ? undefined : form.plain(segments, start);
  return { from, to, gap, text: plain ?? (await renders.take(() => form.rendered(segments, start))) };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

/**
 * The page of a text as {@link page} selects it by its lines that have text: the text itself, where each of them brings
 * the empty ones that follow it.
 */
export function pageOfText(text: string, count: number, offset: number): OutputPage {
  const starts = [...text.matchAll(/^.*[^ \t\n].*$/gm)].map(({ index }) => index);
  const total = starts.length;
  const begin = offset === 0 ? Math.max(0, total - count) : offset;
  const isNone = count === 0 || (begin > 0 && begin >= total);
  const raw = text.slice(
    begin === 0 ? 0 : starts[begin],
    begin + count < total ? starts[begin + count] : undefined,
  );
  return { totalLines: total, offset, raw: isNone ? '' : raw };
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
