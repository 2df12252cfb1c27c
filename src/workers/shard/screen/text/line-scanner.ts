import { BS, C1_LEAD, CR, DEL, ESC, FF, LF, SHIFT_OUT, TAB, VT } from '../../../ascii.js';
import { EscapeReader } from '../xterm/escape-reader.js';

/** Controls that move the cursor to another row or choose another character set. */
const MOVING: ReadonlySet<number> = new Set([VT, FF, SHIFT_OUT]);

/** A longer line is scanned as several, as long as nothing in it is overwritten. */
const LONG_LINE_BYTES = 64 * 1024;

/** How a line of output is made. */
export type LineKind =
  /** Written from its beginning to its end. */
  | 'written'
  /** Parts of it are overwritten or erased; no other line is. */
  | 'overwritten'
  /** The cursor moves to other rows, or the way in which text is written changes. */
  | 'drawn';

/** A line of output, or a part of a long line. */
export interface ScannedLine {
  kind: LineKind;
  /** Positions of its first byte, and after its last byte. */
  from: number;
  to: number;
  /** Whether the line ends with a line feed after which the cursor is on the first column. */
  isEnded: boolean;
  /** Number of line feeds; more than one where line feeds came without a carriage return. */
  lineFeeds: number;
}

/**
 * Splits output into its lines and finds how each is made, in one pass that knows no screen. A line ends with a line
 * feed after which the cursor is on the first column, outside of escape sequences. The scan may begin at the end of any
 * line that it has returned, and then returns the same lines.
 */
export class LineScanner {
  readonly #pieces: readonly { position: number; bytes: Uint8Array }[];
  readonly #escape = new EscapeReader();
  #index = 0;
  #position: number;
  #line: ScannedLine;
  #isFirstColumn = true;
  #hasText = false;
  /** Whether the cursor is back at the beginning of a line that has text. */
  #isReturned = false;
  #previous = 0;

  /** @param pieces - consecutive output */
  constructor(pieces: readonly { position: number; bytes: Uint8Array }[], from: number) {
    this.#pieces = pieces;
    this.#position = from;
    this.#line = newLine(from);
  }

  /** Returns the next line that has ended; undefined if none has. */
  next(): ScannedLine | undefined {
    for (; this.#index < this.#pieces.length; this.#index++) {
      const { position, bytes } = this.#pieces[this.#index]!;
      const line = this.#scan(bytes, position);
      if (line) return line;
    }
    return undefined;
  }

  /** The line that has not ended, once {@link next} has returned undefined. */
  get rest(): ScannedLine {
    return { ...this.#line, to: this.#position };
  }

  #scan(bytes: Uint8Array, begin: number): ScannedLine | undefined {
    for (let at = Math.max(0, this.#position - begin); at < bytes.length; ) {
      const byte = bytes[at]!;
      if (!this.#escape.isOpen && isText(byte)) {
        if (this.#isCutBefore(byte, begin + at)) return this.#end(false);
        at = this.#afterText(bytes, at, begin);
        this.#position = begin + at;
        continue;
      }
      at++;
      this.#position = begin + at;
      if (this.#take(byte)) return this.#end(true);
    }
    return undefined;
  }

  /** Takes a run of text. Returns the index after it. */
  #afterText(bytes: Uint8Array, from: number, begin: number): number {
    if (this.#isReturned) this.#is('overwritten');
    this.#isReturned = false;
    this.#hasText = true;
    this.#isFirstColumn = false;
    // The run ends where the line may have to be cut.
    const cut = this.#line.from + LONG_LINE_BYTES - begin;
    const most =
      this.#line.kind === 'written' ? Math.min(bytes.length, Math.max(cut, from + 1)) : bytes.length;
    let at = from;
    let previous = this.#previous;
    for (let byte = bytes[at]!; at < most && isText(byte); byte = bytes[++at]!) {
      if (previous === C1_LEAD && byte >= 0x80 && byte < 0xa0) this.#is('drawn');
      previous = byte;
    }
    this.#previous = previous;
    return at;
  }

  /** Takes any byte but text outside of sequences. Returns whether it ends the line. */
  #take(byte: number): boolean {
    if (this.#escape.isOpen) {
      const effect = this.#escape.take(byte);
      if (effect === 'moves') this.#is('drawn');
      if (effect === 'movesInRow' || (effect === 'erasesAfter' && this.#isReturned)) this.#is('overwritten');
      if (effect === 'moves' || effect === 'movesInRow') this.#isFirstColumn = false;
    } else if (byte === ESC) {
      this.#escape.open();
    } else if (byte === TAB) {
      if (this.#isReturned) this.#is('overwritten');
      this.#isReturned = false;
      this.#hasText = true;
      this.#isFirstColumn = false;
    } else if (byte === CR) {
      this.#isReturned = this.#hasText;
      this.#isFirstColumn = true;
    } else if (byte === BS) {
      this.#is('overwritten');
      this.#isFirstColumn = false;
    } else if (byte === LF) {
      this.#line.lineFeeds++;
      this.#hasText = false;
      this.#isReturned = false;
    } else if (MOVING.has(byte)) {
      this.#is('drawn');
    }
    this.#previous = byte;
    return byte === LF && !this.#escape.isOpen && this.#isFirstColumn;
  }

  #is(kind: LineKind): void {
    if (this.#line.kind !== 'drawn') this.#line.kind = kind;
  }

  /** Returns whether the line is too long to go on with this byte of text. */
  #isCutBefore(byte: number, position: number): boolean {
    const isLong = position - this.#line.from >= LONG_LINE_BYTES;
    return isLong && this.#line.kind === 'written' && !this.#isReturned && (byte & 0xc0) !== 0x80;
  }

  /** Ends the line at the present position, and begins the next as if nothing had been printed before. */
  #end(isEnded: boolean): ScannedLine {
    const line = { ...this.#line, to: this.#position, isEnded };
    this.#line = newLine(this.#position);
    this.#isFirstColumn = true;
    this.#hasText = false;
    this.#isReturned = false;
    this.#previous = 0;
    return line;
  }
}

function newLine(from: number): ScannedLine {
  return { kind: 'written', from, to: from, isEnded: false, lineFeeds: 0 };
}

function isText(byte: number): boolean {
  return byte >= 0x20 && byte !== DEL;
}
