import { DomainError } from '../../contract/errors.js';
import type { History } from './history.js';
import type { TextBegin } from './line-texts.js';
import { OutputBytes } from './output-bytes.js';
import type { PieceQuery, RangePiece, TextPlace } from './piece-query.js';
import type { PrintSource } from './print-source.js';
import { decodeCursor, type ReadCursor } from './read-cursor.js';
import { type SettledRange, settledText } from './settled-text.js';

/** Returns the next piece of settled text of a range, see {@link settledText}. Throws `invalid-cursor`. */
export async function readPiece(
  { screenActor, renders }: PrintSource,
  { start, end, place: earlier, maxBytes }: PieceQuery,
): Promise<RangePiece> {
  const { from, to, printed } = await screenActor.askPlace((place) => {
    const from = decodeCursor(start, place.position);
    const to = end === undefined ? place.cursor : decodeCursor(end, place.position);
    const first = earlier?.context ?? from.position;
    if (to.position < from.position || (earlier && to.position < earlier.position))
      throw new DomainError('invalid-cursor');
    return { from, to: to.position, printed: place.history.between(first, to.position) };
  });
  const { gap, ...range } = rangeOf(printed, from, to, earlier);
  const work = { isWhole: end !== undefined, maxBytes, ...range };
  const { dropped, text, place } = await renders(() => settledText(work));
  const isCut = place.position - range.place.position >= maxBytes;
  return {
    gap,
    dropped,
    text,
    place,
    position: to,
    waitingBytes: to - place.position,
    hasMore: isCut && place.position < to,
  };
}

/** Returns the text that all pieces of a range join to. */
export async function wholeText(printed: Printed, from: ReadCursor, to: number): Promise<string> {
  const { gap: _, ...range } = rangeOf(printed, from, to);
  const maxBytes = Number.POSITIVE_INFINITY;
  return (await settledText({ isWhole: true, maxBytes, ...range })).text;
}

type Printed = ReturnType<History['between']>;

function rangeOf(
  { segments, size }: Printed,
  from: ReadCursor,
  to: number,
  earlier?: TextPlace,
): Pick<SettledRange, 'output' | 'begin' | 'place'> & { gap: boolean } {
  const output = new OutputBytes(segments, to, size);
  const known = earlier ?? placeAt(from.position, size.rows);
  if (known.position >= output.begin) {
    const place = { ...known, context: Math.max(known.context, output.begin) };
    return { gap: false, output, begin: from, place };
  }
  // After a gap, the remaining output begins with a new line.
  const begin: TextBegin = { position: output.begin, row: size.rows - 1, col: 0, altScreen: false };
  return { gap: true, output, begin, place: placeAt(output.begin, size.rows) };
}

function placeAt(position: number, rows: number): TextPlace {
  return { position, context: position, rows, isWithinLine: false };
}
