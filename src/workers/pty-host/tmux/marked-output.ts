import { MARKER_START, MarkerFilter } from '../pty/exit-marker.js';

const NOTHING: Buffer = Buffer.alloc(0);

/** Events that marks report. */
export const STARTED = '0';
export const ENDED = '1';

export interface MarkedEvents {
  /** Called when the program runs, or is about to run, as this process. */
  started(pid: number): void;
  /** Takes the program's output; the memory is lent until the call returns. */
  output(bytes: Buffer): void;
  /** Called when the program has ended and its output is passed on. `signal` is 0 for none, else `exitCode` is 0. */
  ended(exitCode: number, signal: number): void;
}

/** Matches the text behind the nonce: all of it, and a possible beginning of it. */
const PID = { whole: /^(\d{1,10})\x1b\\/, begun: /^\d{0,10}\x1b?$/ };
const STATUS = { whole: /^(\d{1,3});(1?)\x1b\\/, begun: /^\d{0,3}(?:;1?)?\x1b?$/ };

/** More than any mark has behind its nonce. */
const MAX_TAIL_BYTES = 16;

/** Shells report a death by signal n as 128 + n; ksh as 256 + n, and yash as 384 + n, which are no exit codes. */
const SIGNAL_BASE = 128;
const EXIT_CODES = 256;

type Stage = 'before' | 'pid' | 'program' | 'status' | 'after';

/**
 * Removes the marks of the shell that a program runs under (wrapper.ts) from a pane's output, however it is split.
 * Output before the first mark is that shell's, and output behind the second mark is from background jobs of the ended
 * program: neither is passed on.
 */
export class MarkedOutput {
  readonly #events: MarkedEvents;
  readonly #endOpening: Buffer;
  readonly #start: MarkerFilter;
  readonly #end: MarkerFilter;
  #stage: Stage = 'before';
  /** The part of a mark behind its nonce that has arrived. */
  #tail = NOTHING;

  /** @param nonce - the nonce that wrapper.ts has chosen */
  constructor(nonce: string, events: MarkedEvents) {
    this.#events = events;
    this.#endOpening = markOpening(nonce, ENDED);
    this.#start = new MarkerFilter(markOpening(nonce, STARTED));
    this.#end = new MarkerFilter(this.#endOpening);
  }

  /** Takes what the pane printed; the memory is only lent. */
  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) rest = this.#next(rest);
  }

  /** Passes on bytes that were held back as the possible beginning of a mark, since no mark will come any more. */
  flush(): void {
    const held = this.#stage === 'status' ? [this.#endOpening, this.#tail] : [];
    if (this.#stage === 'program') held.push(this.#end.flush());
    this.#stage = 'after';
    this.#output(Buffer.concat(held));
  }

  /** Takes some of the bytes, and returns the others. */
  #next(bytes: Buffer): Buffer {
    switch (this.#stage) {
      case 'before': {
        const { found, rest } = this.#start.push(bytes);
        if (found) this.#stage = 'pid';
        return rest;
      }
      case 'program': {
        const { output, found, rest } = this.#end.push(bytes);
        if (found) this.#stage = 'status';
        this.#output(output);
        return rest;
      }
      case 'pid':
        return this.#readTail(bytes, PID);
      case 'status':
        return this.#readTail(bytes, STATUS);
      case 'after':
        return NOTHING;
    }
  }

  #readTail(bytes: Buffer, { whole, begun }: typeof PID): Buffer {
    const tail = this.#tail;
    const all = Buffer.concat([tail, bytes.subarray(0, MAX_TAIL_BYTES)]);
    const text = all.toString('latin1');
    const mark = whole.exec(text);
    if (!mark && begun.test(text)) {
      this.#tail = all;
      return NOTHING;
    }
    this.#tail = NOTHING;
    if (mark) {
      this.#marked(Number(mark[1]), mark[2] === '1');
      return bytes.subarray(mark[0].length - tail.length);
    }
    this.#wasNoMark();
    return Buffer.concat([tail, bytes]);
  }

  #marked(value: number, isKilled: boolean): void {
    if (this.#stage === 'pid') {
      this.#stage = 'program';
      this.#events.started(value);
      return;
    }
    this.#stage = 'after';
    const isSignal = value >= EXIT_CODES || (isKilled && value > SIGNAL_BASE);
    const signal = isSignal ? value % SIGNAL_BASE : 0;
    this.#events.ended(signal === 0 ? value : 0, signal);
  }

  /** Passes on the beginning of a mark that the program has printed itself, with a nonce that it has looked up. */
  #wasNoMark(): void {
    const isPrinted = this.#stage === 'status';
    this.#stage = isPrinted ? 'program' : 'before';
    if (isPrinted) this.#output(this.#endOpening);
  }

  #output(bytes: Buffer): void {
    if (bytes.length > 0) this.#events.output(bytes);
  }
}

function markOpening(nonce: string, what: string): Buffer {
  return Buffer.from(`${MARKER_START}${nonce};${what};`);
}
