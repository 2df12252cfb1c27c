import type { XtermInternals } from '../xterm/internals.js';
import { SteppedParser } from '../xterm/stepped-parser.js';
import { UnfinishedSequence } from '../xterm/unfinished-sequence.js';

/** Feeds a screen's output to its parser, and reports the answers to queries in that output. */
export class Intake {
  readonly tail = new UnfinishedSequence();
  readonly #core: XtermInternals;
  readonly #parser: SteppedParser;
  readonly #onReply: ((data: string) => void) | undefined;
  /** Bytes that are being parsed. */
  #parsing: Uint8Array | undefined;
  /** Answers of the current step. `onReply` gets them after the step, since an exception in it would break xterm. */
  #replies: string[] = [];
  #isStepping = false;

  constructor(core: XtermInternals, onReply?: (data: string) => void) {
    this.#core = core;
    this.#parser = new SteppedParser(core);
    this.#onReply = onReply;
  }

  /** Takes output, to be parsed in steps. Throws when called from `onReply`, and while there is more to step. */
  begin(bytes: Uint8Array): void {
    this.#checkIdle();
    this.#parsing = this.tail.wholeCharacters(bytes);
    this.#parser.begin(this.#parsing);
  }

  /** Parses for a few milliseconds; true while there is more. Throws when called from `onReply`. */
  step(): boolean {
    this.#checkIdle();
    this.#isStepping = true;
    try {
      const hasMore = this.#parser.step();
      if (!hasMore && this.#parsing) {
        this.tail.parsed(this.#parsing, this.#core._inputHandler._parser.currentState);
        this.#parsing = undefined;
      }
      this.#giveReplies();
      return hasMore;
    } finally {
      this.#isStepping = false;
    }
  }

  /** Frees the memory that a large piece of output took. */
  release(): void {
    this.#parser.release();
  }

  reply(data: string): void {
    if (this.#onReply) this.#replies.push(data);
  }

  #checkIdle(): void {
    if (this.#isStepping) throw new Error('a screen was fed while it was parsing');
  }

  #giveReplies(): void {
    if (this.#replies.length === 0) return;
    const replies = this.#replies;
    this.#replies = [];
    for (const reply of replies) this.#onReply?.(reply);
  }
}
