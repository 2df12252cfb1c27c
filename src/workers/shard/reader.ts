import { DEFAULT_OUTPUT_LINES } from '../../contract/limits.js';
import type { OutputPage } from '../../contract/terminal.js';
import type { History } from './history.js';
import type { PrintSource } from './print-source.js';
import type { OutputQuery, PrintedSince, ReadPage } from './protocol.js';
import { wholeText } from './range-piece.js';
import { decodeCursor, encodeCursor, type ReadCursor } from './read-cursor.js';
import { plainLines } from './screen/backlog/plain-lines.js';
import { plainText } from './screen/text/plain-text.js';
import { type PrintStart, printStart } from './screen/text/print-start.js';
import { renderPrinted, renderText, type Segment } from './screen/text/printed.js';
import { truncateHead } from './truncate-head.js';

export { decodeCursor, encodeCursor, type ReadCursor };

const BEGINNING: ReadCursor = { position: 0, row: 0, col: 0, altScreen: false };

/** Returns a page of `lines`: with offset 0 the last `count` lines, with another offset `count` lines from there on. */
export function page(lines: Pick<string[], 'length' | 'slice'>, count: number, offset: number): OutputPage {
  const begin = offset === 0 ? Math.max(0, lines.length - count) : offset;
  return { totalLines: lines.length, offset, raw: lines.slice(begin, begin + count).join('\n') };
}

/** Returns a page of the printed lines of scrollback and screen. */
export async function readLines(
  { screenActor }: Pick<PrintSource, 'screenActor'>,
  query: OutputQuery,
): Promise<ReadPage> {
  const { lines: count = DEFAULT_OUTPUT_LINES, offset } = query;
  const answer = await screenActor.askLines((view) => ({
    cursor: encodeCursor(view.cursor),
    ...page(view.lines, count, offset),
  }));
  return { ...answer, ...cut(answer.raw, query) };
}

/** Returns the output after the cursor `since`, or a page of it. Throws `invalid-cursor`. */
export async function readSince(source: PrintSource, since: string, query: OutputQuery): Promise<ReadPage> {
  const { lines = Number.POSITIVE_INFINITY, offset, asLines } = query;
  const { to, gap, text } = await printedSince(source, since, asLines ? LINES : EXACT);
  const answer = asLines ? page(linesOf(text), lines, offset) : pageOfText(text, lines, offset);
  return { cursor: encodeCursor(to), gap, ...answer, ...cut(answer.raw, query) };
}

/** Returns the output after `cursor`, or all kept output for null; undefined if none. Throws `invalid-cursor`. */
export async function readChange(
  source: PrintSource & { received: number },
  cursor: string | null,
  maxBytes: number,
): Promise<Omit<PrintedSince, 'id'> | undefined> {
  const begin = cursor === null ? 0 : decodeCursor(cursor, source.received).position;
  if (begin === source.received) return undefined;
  const { from, to, gap, text } = await printedSince(source, cursor, EXACT);
  if (to.position === from.position) return undefined;
  const { text: raw, truncated } = truncateHead(text, maxBytes);
  return { cursor: encodeCursor(to), raw, gap, truncated };
}

/** Text that was printed after a cursor. */
interface PrintedText {
  from: ReadCursor;
  /** Place where the text ends. */
  to: ReadCursor;
  /** Whether the history has dropped the beginning of the output. */
  gap: boolean;
  text: string;
}

/** A way to make text from output. */
interface TextForm {
  /** Makes text at little cost if the output is written line by line; returns undefined otherwise. */
  plain: (segments: readonly Segment[], start: PrintStart) => string | undefined;
  rendered: (printed: Printed, from: ReadCursor, to: number) => Promise<string>;
}

type Printed = ReturnType<History['between']>;

/**
 * Exact text. Ended lines keep their line feed, so that the texts of consecutive ranges join to one text. Lines that are
 * written from beginning to end keep their tabs and blanks, also where another line is overwritten.
 */
const EXACT: TextForm = {
  plain: plainText,
  rendered: (printed, from, to) => {
    const start = startOf(printed, from);
    return start.altScreen ? renderText(printed.segments, start) : wholeText(printed, from, to);
  },
};

/** Non-empty lines, joined with line feeds. */
const LINES: TextForm = {
  plain: (segments, start) => plainLines(segments, start)?.text,
  rendered: async (printed, from) =>
    (await renderPrinted(printed.segments, startOf(printed, from))).join('\n'),
};

/** Returns the text that was printed after `since`, or all that is kept for null. Throws `invalid-cursor`. */
async function printedSince(
  { screenActor, renders }: PrintSource,
  since: string | null,
  form: TextForm,
): Promise<PrintedText> {
  const { from, to, printed } = await screenActor.askPlace(({ cursor: to, history }) => {
    const from = since === null ? BEGINNING : decodeCursor(since, to.position);
    return { from, to, printed: history.between(from.position, to.position) };
  });
  const { gap, segments } = printed;
  const start = startOf(printed, from);
  // Of an alternate screen, the text that it shows counts, which only rendering yields.
  const plain = start.altScreen ? undefined : form.plain(segments, start);
  return { from, to, gap, text: plain ?? (await renders(() => form.rendered(printed, from, to.position))) };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

/**
 * Returns a page of a text as {@link page} selects it, counting only non-empty lines, but as exact text: each line
 * includes the empty lines that follow it.
 */
export function pageOfText(text: string, count: number, offset: number): OutputPage {
  // Not `.`, which leaves out characters that end a line for JavaScript and not on a screen, such as U+2028.
  const starts = [...text.matchAll(/^[^\n]*[^ \t\n][^\n]*$/gm)].map(({ index }) => index);
  const total = starts.length;
  const begin = offset === 0 ? Math.max(0, total - count) : offset;
  const isNone = count === 0 || (begin > 0 && begin >= total);
  const raw = text.slice(
    begin === 0 ? 0 : starts[begin],
    begin + count < total ? starts[begin + count] : undefined,
  );
  return { totalLines: total, offset, raw: isNone ? '' : raw };
}

/** Returns the screen's size and cursor at the beginning of a range of the history. */
export function startOf({ gap, size }: Printed, from: ReadCursor): PrintStart {
  // After a gap, the remaining output begins with a new line, wherever the cursor was before.
  return printStart(size, gap ? undefined : from);
}

function cut(raw: string, { maxBytes }: OutputQuery): { raw: string; truncated?: boolean } {
  if (maxBytes === undefined) return { raw };
  const { text, truncated } = truncateHead(raw, maxBytes);
  return { raw: text, truncated };
}
