import { createHash, type Hash } from 'node:crypto';
import { RUN_PIECE_BYTES } from '../../contract/limits.js';
import type { RunStreamEvent } from '../../contract/run.js';

type SentEvent = Extract<RunStreamEvent, { type: 'output' | 'redrawn' | 'gap' }>;

/** Makes the events of the pieces of one terminal, and remembers how much of the text its client has. */
export class SentText {
  readonly #terminalId: string;
  /** Lines that have ended. */
  #lines = 0;
  #isWithinLine = false;
  #hasBegun = false;
  #hasGap = false;
  #isAfterGap = false;
  /** The text, and its characters; undefined once lines have been drawn anew. */
  #text: { hash: Hash; chars: number } | undefined = { hash: createHash('sha256'), chars: 0 };

  constructor(terminalId: string) {
    this.#terminalId = terminalId;
  }

  /** Whether the client has got anything, if only a gap. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether the client has got a gap. */
  get hasGap(): boolean {
    return this.#hasGap;
  }

  *piece({ gap, dropped, text }: { gap: boolean; dropped: number; text: string }): Generator<SentEvent> {
    if (gap) yield* this.gap();
    if (dropped > 0) yield this.#redrawn(dropped);
    yield* this.#output(text);
  }

  *gap(): Generator<SentEvent> {
    // Without a piece between them, two gaps are one.
    const isNew = !this.#isAfterGap;
    this.#hasBegun = true;
    this.#hasGap = true;
    this.#isAfterGap = true;
    if (isNew) yield { type: 'gap', terminalId: this.#terminalId };
  }

  /** Completes the text of a client without a gap: sends the rest, or all anew if the client's text is not its beginning. */
  *whole(text: string): Generator<SentEvent> {
    const { hash, chars = 0 } = this.#text ?? {};
    const isBeginning = hash?.copy().digest('hex') === digestOf(text.slice(0, chars));
    const lines = this.#lines + (this.#isWithinLine ? 1 : 0);
    if (!isBeginning && lines > 0) yield this.#redrawn(lines);
    yield* this.#output(isBeginning ? text.slice(chars) : text);
  }

  #redrawn(lines: number): SentEvent {
    this.#lines = Math.max(0, this.#lines - lines);
    this.#isWithinLine = false;
    this.#text = undefined;
    return { type: 'redrawn', terminalId: this.#terminalId, lines };
  }

  *#output(text: string): Generator<SentEvent> {
    for (let from = 0; from < text.length; ) {
      const to = endOfPiece(text, from);
      const piece = text.slice(from, to);
      from = to;
      this.#count(piece);
      yield { type: 'output', terminalId: this.#terminalId, text: piece };
    }
  }

  #count(piece: string): void {
    this.#hasBegun = true;
    this.#isAfterGap = false;
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', at + 1)) this.#lines++;
    this.#isWithinLine = !piece.endsWith('\n');
    if (!this.#text) return;
    this.#text.hash.update(piece);
    this.#text.chars += piece.length;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns where a piece of a longer text ends, with whole characters. */
function endOfPiece(text: string, from: number): number {
  const to = from + RUN_PIECE_BYTES;
  if (to >= text.length) return text.length;
  const isHigh = (text.charCodeAt(to - 1) & 0xfc00) === 0xd800;
  return isHigh ? to - 1 : to;
}
