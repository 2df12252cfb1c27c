import { DomainError } from '../../../contract/errors.js';
import { MAX_PENDING_INPUT_BYTES } from '../../../contract/limits.js';
import type { TypedPart } from '../wire/typing.js';

/** Bytes that a paste adds around its text (two brackets and a submit sequence); they are not charged to the user. */
const FRAMING_BYTES = 64;

/** Small writes behind a waiting write are joined up to this size, so that the limit in bytes also limits the parts. */
const JOIN_BYTES = 4096;

/** The PTY as the input queue sees it. */
export interface InputTarget {
  write(bytes: Uint8Array): void;
  /** Bytes written that the PTY has not taken yet. */
  readonly pendingInput: number;
  /** Bytes that the PTY has taken, or that were dropped at its end. */
  readonly written: number;
  /** See {@link PtyPort.hiddenEnd}. */
  readonly hiddenEnd: number;
}

/** Called once all of a request is written or dropped, with whether the terminal may have hidden any of it. */
export type OnWritten = (isHidden: boolean) => void;

/** A request that is not written yet; its range counts as {@link InputTarget.written} does. */
interface Unwritten {
  begin: number;
  end: number;
  onWritten: OnWritten;
}

/**
 * Queue of input for one terminal: requests in order, each whole, with the pauses between its parts. The queue
 * lives beside the PTY, so a request that has begun is finished even if the service dies. It is bounded: requests
 * beyond {@link MAX_PENDING_INPUT_BYTES} of unread input are refused.
 */
export class InputQueue {
  readonly #target: InputTarget;
  /** Parts not written yet, in order; the parts of a request are adjacent. */
  readonly #parts: TypedPart[] = [];
  readonly #unwritten: Unwritten[] = [];
  /** Bytes accepted since the terminal started. */
  #accepted = 0;
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #advancing = false;

  constructor(target: InputTarget) {
    this.#target = target;
  }

  /** Bytes accepted that the PTY has not taken yet. */
  get pending(): number {
    return this.#waiting + this.#target.pendingInput;
  }

  /** Accepts a whole request, or throws `input-buffer-full` and accepts none of it. */
  push(request: readonly TypedPart[], onWritten: OnWritten = () => {}): void {
    const size = request.reduce((sum, part) => sum + part.bytes.length, 0);
    if (this.pending + size > MAX_PENDING_INPUT_BYTES + FRAMING_BYTES)
      throw new DomainError('input-buffer-full');
    // Copies, since parts change when they are joined and when their delay is over.
    const begin = this.#accepted;
    for (const part of request) this.#append({ ...part });
    this.#unwritten.push({ begin, end: this.#accepted, onWritten });
    this.advance();
  }

  /** Returns the parts that have not been passed on. For a queue that takes them, a delay that has begun begins again. */
  keep(): readonly TypedPart[] {
    return this.#parts;
  }

  /** Accepts the screen's answer to a query. Drops it if the program does not read, as a full terminal line does. */
  reply(bytes: Uint8Array): void {
    if (this.#stopped || this.pending + bytes.length > MAX_PENDING_INPUT_BYTES) return;
    this.#append({ bytes, delayMs: 0 });
    this.advance();
  }

  /** Writes everything that may be written; must be called whenever the PTY has taken something. */
  advance(): void {
    // The PTY calls this in the middle of a write, before the remainder of that write is queued.
    if (this.#advancing) return;
    this.#advancing = true;
    while (!this.#stopped && !this.#timer) {
      const part = this.#parts[0];
      if (!part || !this.#mayWrite(part)) break;
      this.#parts.shift();
      this.#waiting -= part.bytes.length;
      this.#target.write(part.bytes);
    }
    this.#advancing = false;
    this.#tell();
  }

  /** Drops everything that is not written, because the program is gone. */
  stop(): void {
    this.#stopped = true;
    this.#parts.length = 0;
    this.#waiting = 0;
    clearTimeout(this.#timer);
    // Whether the program would have hidden this input is unknown, so it counts as hidden.
    for (const { onWritten } of this.#unwritten.splice(0)) onWritten(true);
  }

  /** Reports the requests that are completely written. */
  #tell(): void {
    const { written, hiddenEnd } = this.#target;
    while (this.#unwritten[0] && this.#unwritten[0].end <= written) {
      const { begin, onWritten } = this.#unwritten.shift()!;
      onWritten(hiddenEnd > begin);
    }
  }

  #append(part: TypedPart): void {
    if (part.bytes.length === 0 && part.delayMs === 0) return;
    this.#waiting += part.bytes.length;
    this.#accepted += part.bytes.length;
    const last = this.#parts.at(-1);
    if (last && part.delayMs === 0 && last.bytes.length + part.bytes.length <= JOIN_BYTES) {
      last.bytes = Buffer.concat([last.bytes, part.bytes]);
    } else {
      this.#parts.push(part);
    }
  }

  /** Returns whether a part may be written. Its delay starts when the program has got the previous part. */
  #mayWrite(part: TypedPart): boolean {
    if (part.delayMs === 0) return true;
    if (this.#target.pendingInput > 0) return false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      part.delayMs = 0;
      this.advance();
    }, part.delayMs);
    return false;
  }
}
