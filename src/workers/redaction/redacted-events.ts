import { MAX_HELD_EVENT_CHARS } from '../../contract/limits.js';
import type { RecordingEvent } from '../../contract/recording.js';
import { firstIndex } from '../first-index.js';
import { type ShownSecret, withOvertyped } from './overtyped.js';
import { CONTEXT_CHARS, DECIDED_BY_CHARS, masked, type SecretFinder } from './secret-finder.js';
import { firstViewState, type ViewState, VisibleText } from './visible-text.js';

/** Events that wait until later events show whether a secret begins in them; plain data. */
export interface HeldEvents {
  queue: Array<{ event: RecordingEvent; isReady: boolean }>;
  /** State of the output before the first output that waits. */
  view: ViewState;
  /** The last characters that were shown before that output. */
  context: string;
}

export function noHeldEvents(): HeldEvents {
  return { queue: [], view: firstViewState(), context: '' };
}

/** Ends a typed line. */
const ENTER = /[\r\n]/;

/**
 * Takes the next events of a recording and returns those that are decided, with secrets replaced, in order. The marker
 * of a secret that spans several events goes into the first of them. The result does not depend on how the recording is
 * divided among calls.
 *
 * @param isLast - no events follow: all waiting events are returned
 */
export function redactEvents(
  finder: SecretFinder,
  events: readonly RecordingEvent[],
  held: HeldEvents,
  isLast: boolean,
): RecordingEvent[] {
  for (const event of events) {
    const isStream = event.event_type === 'output' || event.event_type === 'input';
    const alone = isStream ? event : { ...event, data: finder.redact(event.data) };
    held.queue.push({ event: alone, isReady: !isStream });
  }
  decideInput(finder, held, isLast);
  decideOutput(finder, held, isLast);
  const undecided = held.queue.findIndex(({ isReady }) => !isReady);
  const count = undecided === -1 ? held.queue.length : undecided;
  return held.queue.splice(0, count).map(({ event }) => event);
}

/**
 * Decides typed text, line by line. An unfinished line is decided, too, once many events wait: a program that takes
 * single keys needs no Enter.
 */
function decideInput(finder: SecretFinder, held: HeldEvents, isLast: boolean): void {
  const waiting = held.queue.filter(({ event, isReady }) => event.event_type === 'input' && !isReady);
  if (waiting.length === 0) return;
  const chars = held.queue.reduce((sum, { event }) => sum + event.data.length, 0);
  const isFull = isLast || chars > MAX_HELD_EVENT_CHARS;
  for (let begin = 0; begin < waiting.length; ) {
    const enter = waiting.findIndex(({ event }, index) => index >= begin && ENTER.test(event.data));
    if (enter === -1 && !isFull) return;
    const line = waiting.slice(begin, enter === -1 ? undefined : enter + 1);
    const pieces = line.map(({ event }) => event.data);
    const { redacted } = redactPieces(finder, pieces, { view: firstViewState(), context: '' }, true);
    for (const [index, entry] of line.entries()) setData(entry, redacted[index]!);
    begin += line.length;
  }
}

function decideOutput(finder: SecretFinder, held: HeldEvents, isLast: boolean): void {
  const waiting = held.queue.filter(({ event, isReady }) => event.event_type === 'output' && !isReady);
  if (waiting.length === 0) return;
  const pieces = waiting.map(({ event }) => event.data);
  const { redacted, decided, view, context } = redactPieces(finder, pieces, held, isLast);
  for (const [index, entry] of waiting.entries()) {
    if (index < decided) setData(entry, redacted[index]!);
    // If a secret has begun in a decided piece, its end is now removed from this piece.
    else entry.event = { ...entry.event, data: redacted[index]! };
  }
  if (decided === 0) return;
  held.view = view;
  held.context = context;
}

function setData(entry: HeldEvents['queue'][number], data: string): void {
  entry.event = { ...entry.event, data };
  entry.isReady = true;
}

interface Redacted {
  redacted: string[];
  /** Number of pieces that no later piece can change. */
  decided: number;
  /** State after the decided pieces; with `context`, the values for {@link HeldEvents}. */
  view: ViewState;
  context: string;
}

/** Redacts pieces of one stream. Secrets that begin in an undecided piece are left in it, to be found again. */
function redactPieces(
  finder: SecretFinder,
  pieces: readonly string[],
  before: { view: ViewState; context: string },
  isLast: boolean,
): Redacted {
  const visible = new VisibleText(before.view);
  /**
   * Number of characters before each piece, number of visible characters before it, and the state there. The last entry
   * is the place after all pieces.
   */
  const places = [{ chars: 0, shown: 0, view: before.view }];
  let chars = 0;
  for (const piece of pieces) {
    visible.push(piece);
    chars += piece.length;
    places.push({ chars, shown: visible.text.length, view: visible.state });
  }
  if (isLast) visible.finish();
  const text = before.context + visible.text;
  const from = before.context.length;
  const found = withOvertyped(finder, text, from, findShown(finder, text, from, visible.breaks));
  const limit = isLast ? Number.POSITIVE_INFINITY : visible.text.length - DECIDED_BY_CHARS;
  // A string that the next piece continues, such as a title, is decided at its end, unless that end takes too long to come.
  const isFull = isLast || chars > MAX_HELD_EVENT_CHARS;
  // Output that shows next to nothing, such as movements of the cursor, waits no longer either.
  const decided = places.findLastIndex(
    (place) =>
      place.chars + MAX_HELD_EVENT_CHARS < chars ||
      (place.shown <= limit && (isFull || place.view.mode !== 'string')),
  );
  if (decided <= 0) return { redacted: [...pieces], decided: 0, ...before };
  const { shown, view } = places[decided]!;
  const accepted = isLast ? found : found.filter(({ start }) => start < from + shown);
  const edits: Edit[] = accepted
    .filter(({ kind }) => kind !== undefined)
    .map((each) => ({
      marker: markerOf(finder, text, each),
      offsets: visible.offsets(each.start - from, each.end - from).filter((offset) => offset >= 0),
    }));
  const end = pieces.slice(0, decided).reduce((sum, { length }) => sum + length, 0);
  const strings = visible.strings.filter(({ offset }) => offset < end);
  const inStrings = strings.flatMap((each) => editsOfString(finder, each));
  const next = Math.max(from + shown, accepted.at(-1)?.end ?? 0);
  const context = masked(text, accepted).slice(Math.max(0, next - CONTEXT_CHARS), next);
  return { redacted: edited(pieces, [...edits, ...inStrings]), decided, view, context };
}

/** A character at which no secret goes on, and no word. */
const BREAK = '\r';

/**
 * Returns the secrets in visible text from `from` on. Where the cursor was moved, a word may go on, as in the next row of
 * a pane, or begin, as in the next column of a table: both are looked for.
 */
function findShown(
  finder: SecretFinder,
  text: string,
  from: number,
  breaks: readonly number[],
): ShownSecret[] {
  const found = finder.find(text, from);
  if (breaks.length === 0) return found;
  const places = [...breaks.map((at) => from + at), text.length];
  const parts = places.map((place, index) => text.slice(places[index - 1] ?? 0, place));
  const begins = places.map((place, index) => place + index);
  let passed = 0;
  const joined = (at: number) => {
    while (begins[passed]! < at) passed++;
    return at - passed;
  };
  const apart = finder
    .find(parts.join(BREAK), from)
    .map((each) => ({ ...each, start: joined(each.start), end: joined(each.end) }))
    .filter(({ start, end }) => {
      const near = found[firstIndex(found.length, (index) => found[index]!.end > start)];
      return !near || end <= near.start;
    });
  return [...found, ...apart].sort((a, b) => a.start - b.start);
}

function markerOf(finder: SecretFinder, text: string, { secret, ...found }: ShownSecret): string {
  if (secret === undefined) return finder.markerOf(text, found);
  return finder.markerOf(secret, { ...found, start: 0, end: secret.length });
}

interface Edit {
  marker: string;
  /** Offsets of the characters to remove. */
  offsets: readonly number[];
}

function editsOfString(finder: SecretFinder, { offset, text }: { offset: number; text: string }): Edit[] {
  return finder
    .find(text)
    .filter(({ kind }) => kind !== undefined)
    .map((found) => ({
      marker: finder.markerOf(text, found),
      offsets: Array.from({ length: found.end - found.start }, (_, index) => offset + found.start + index),
    }));
}

/** Returns the pieces with the characters of each edit removed, and its marker in the place of the first of them. */
function edited(pieces: readonly string[], edits: readonly Edit[]): string[] {
  if (edits.length === 0) return [...pieces];
  const markers = new Map(edits.map(({ marker, offsets }) => [offsets[0], marker]));
  const removed = edits.flatMap(({ offsets }) => offsets).sort((a, b) => a - b);
  let base = 0;
  let next = 0;
  return pieces.map((piece) => {
    let result = '';
    let at = 0;
    for (; next < removed.length && removed[next]! < base + piece.length; next++) {
      const offset = removed[next]!;
      result += piece.slice(at, offset - base) + (markers.get(offset) ?? '');
      at = offset - base + 1;
    }
    base += piece.length;
    return result + piece.slice(at);
  });
}
