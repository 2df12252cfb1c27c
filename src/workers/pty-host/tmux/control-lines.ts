import { MAX_TMUX_ANSWER_BYTES } from '../../../contract/limits.js';
import { SPACE } from '../../ascii.js';
import { ControlStreamError } from './control-error.js';
import { PaneOutput } from './pane-output.js';

/*
 * The lines that a tmux client in control mode (`tmux -C`) writes:
 *
 *      %output %<pane> <bytes>                   a pane's output, see pane-output.ts
 *      %begin <time> <number> <flags>            begins the answer to one command; raw lines follow
 *      %end <time> <number> <flags>              ends the answer, with the very same words as its %begin
 *      %error <time> <number> <flags>            ends it in place of %end, for a command that failed
 *      %<name> ...                               a notice
 *
 * Nothing else comes within an answer, but a captured row in it may well read `%exit` or `%end 1 2 3`.
 */

export interface ControlEvents {
  /** Takes bytes that a pane printed; the memory is lent until the call returns. */
  output(pane: number, bytes: Buffer): void;
  /** Takes a line that no command asked for, such as `%window-close @4`. */
  notice(line: string): void;
  /** Takes the answer to one command of this client. */
  block(ok: boolean, lines: string[]): void;
  /**
   * Takes the message of a failed command that {@link ControlClient} did not send: the client's first command, or a
   * hook's.
   */
  refused(lines: string[]): void;
}

interface Block {
  /** The lines that close it. */
  end: string;
  error: string;
  isAsked: boolean;
  lines: string[];
  bytes: number;
  /** The answer is skipped, and reported as a failure. */
  isTooLong: boolean;
}

const LINE_FEED = 0x0a;
const DIGIT_0 = 0x30;

const OUTPUT = Buffer.from('%output %');
const BEGIN = /^%begin (\d+ \d+ (\d+))$/;

/** Flag of a block that answers a command of this client, not of a hook or of the client's start. */
const ASKED = 1;

/** Memory that a line of an answer takes besides its characters. */
const LINE_COST_BYTES = 32;

/** Parses the bytes of a tmux client in control mode, however they are split. */
export class ControlLines {
  readonly #events: ControlEvents;
  readonly #output: PaneOutput;
  /** The beginning of a line whose end has not arrived. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #block: Block | null = null;

  constructor(events: ControlEvents) {
    this.#events = events;
    this.#output = new PaneOutput((pane, bytes) => events.output(pane, bytes));
  }

  /**
   * Calls the events in the order of the stream; adjacent output of one pane is joined. Keeps nothing of the chunk. No
   * event may call `push`. Throws {@link ControlStreamError}; nothing may be pushed after that.
   */
  push(chunk: Buffer): void {
    try {
      let at = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
        if (this.#heldBytes > 0) this.#heldLine(chunk.subarray(at, end));
        else this.#line(chunk, at, end);
        at = end + 1;
      }
      this.#hold(chunk.subarray(at));
    } finally {
      this.#output.flush();
    }
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0) return;
    // A copy: the chunk is only lent, and a view of a few bytes would keep all of it.
    this.#held.push(Buffer.from(piece));
    this.#heldBytes += piece.length;
    if (this.#heldBytes > MAX_TMUX_ANSWER_BYTES) throw tooLong();
  }

  #heldLine(last: Buffer): void {
    const line = Buffer.concat([...this.#held, last], this.#heldBytes + last.length);
    this.#held = [];
    this.#heldBytes = 0;
    this.#line(line, 0, line.length);
  }

  #line(bytes: Buffer, from: number, to: number): void {
    if (this.#block) this.#inBlock(this.#block, bytes.toString('utf8', from, to), to - from);
    else if (isOutput(bytes, from, to)) this.#append(bytes, from + OUTPUT.length, to);
    else this.#other(bytes.toString('utf8', from, to));
  }

  /** Takes a line of output; `from` is the place of the pane's number. */
  #append(bytes: Buffer, from: number, to: number): void {
    let at = from;
    let pane = 0;
    for (let digit = digitAt(bytes, at); digit >= 0; digit = digitAt(bytes, at)) {
      pane = pane * 10 + digit;
      at += 1;
    }
    if (at === from || at >= to || bytes[at] !== SPACE) throw new ControlStreamError('output without a pane');
    this.#output.append(pane, bytes, at + 1, to);
  }

  #other(line: string): void {
    this.#output.flush();
    const [, words, flags] = BEGIN.exec(line) ?? [];
    if (words === undefined) {
      this.#events.notice(line);
      return;
    }
    const isAsked = (Number(flags) & ASKED) !== 0;
    this.#block = {
      end: `%end ${words}`,
      error: `%error ${words}`,
      isAsked,
      lines: [],
      bytes: 0,
      isTooLong: false,
    };
  }

  #inBlock(block: Block, line: string, bytes: number): void {
    if (line === block.end || line === block.error) {
      this.#block = null;
      this.#answered(block, line === block.end && !block.isTooLong);
      return;
    }
    if (block.isTooLong) return;
    block.lines.push(line);
    block.bytes += bytes + LINE_COST_BYTES;
    if (block.bytes <= MAX_TMUX_ANSWER_BYTES) return;
    block.isTooLong = true;
    block.lines = [`the answer is longer than ${MAX_TMUX_ANSWER_BYTES} bytes`];
    block.bytes = 0;
  }

  #answered({ isAsked, lines }: Block, ok: boolean): void {
    if (isAsked) this.#events.block(ok, lines);
    else if (!ok) this.#events.refused(lines);
  }
}

/** Returns -1 for a byte that is no digit, and behind the end of the bytes. */
function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? SPACE) - DIGIT_0;
  return digit <= 9 ? digit : -1;
}

function isOutput(bytes: Buffer, from: number, to: number): boolean {
  if (to - from < OUTPUT.length) return false;
  for (let index = 0; index < OUTPUT.length; index += 1) {
    if (bytes[from + index] !== OUTPUT[index]) return false;
  }
  return true;
}

function tooLong(): ControlStreamError {
  return new ControlStreamError(`a line is longer than ${MAX_TMUX_ANSWER_BYTES} bytes`);
}
