import { DomainError } from '../../contract/errors.js';
import { MAX_PENDING_INPUT_BYTES } from '../../contract/limits.js';
import type { TypedPart } from './typing.js';

/** What a paste adds around its text (two brackets and a submit sequence): not charged to the user. */
const FRAMING_BYTES = 64;

/** Small writes behind one that waits are joined up to this size: the bound in bytes then bounds the parts, too. */
const JOIN_BYTES = 4096;

/** The PTY, as far as typing needs to know it. */
export interface InputTarget {
  write(bytes: Uint8Array): void;
  /** Bytes written that the PTY has not taken yet. */
  readonly pendingInput: number;
  /** Bytes that the PTY has taken, or that were dropped at its end. */
  readonly written: number;
  /** See {@link PtyPort.hiddenEnd}. */
  readonly hiddenEnd: number;
}

/** Told once all of a request is written or dropped: whether the terminal was hiding input meanwhile. */
export type OnWritten = (isHidden: boolean) => void;

/** A request that is not written yet; counted as {@link InputTarget.written} is. */
interface Unwritten {
  begin: number;
  end: number;
  onWritten: OnWritten;
}

/**
 * Typing into one terminal: requests in their order, each whole, with the pauses between its parts. It lives
 * beside the PTY, so that a request which has begun is finished whatever becomes of the service. Bounded: what a
 * program does not read is refused at {@link MAX_PENDING_INPUT_BYTES}.
 */
export class InputQueue {
  readonly #target: InputTarget;
  /** Parts not written yet, in order; a request's parts stand together. */
  readonly #parts: TypedPart[] = [];
  readonly #unwritten: Unwritten[] = [];
  /** Bytes taken in since the terminal began. */
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

  /** Accepts a request whole, or throws `input-buffer-full` and takes none of it. */
  push(request: readonly TypedPart[], onWritten: OnWritten = () => {}): void {
    const size = request.reduce((sum, part) => sum + part.bytes.length, 0);
    if (this.pending + size > MAX_PENDING_INPUT_BYTES + FRAMING_BYTES)
      throw new DomainError('input-buffer-full');
    // Copies of the parts: joined and counted down, they change.
    const begin = this.#accepted;
    for (const part of request) this.#append({ ...part });
    this.#unwritten.push({ begin, end: this.#accepted, onWritten });
    this.advance();
  }

  /** Accepts the screen's answer to a query; where nobody reads, it is dropped, as a full line drops it. */
  reply(bytes: Uint8Array): void {
    if (this.#stopped || this.pending + bytes.length > MAX_PENDING_INPUT_BYTES) return;
    this.#append({ bytes, delayMs: 0 });
    this.advance();
  }

  /** Writes what may be written by now; to be called when the PTY has taken something. */
  advance(): void {
    // The PTY calls in the midst of a write, when the rest of that is not queued yet.
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

  /** Drops what has not been written: the program is gone. */
  stop(): void {
    this.#stopped = true;
    this.#parts.length = 0;
    this.#waiting = 0;
    clearTimeout(this.#timer);
    // Whether the program would have hidden it is not known.
    for (const { onWritten } of this.#unwritten.splice(0)) onWritten(true);
  }

  /** Of requests that are written by now. */
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

  /** A part with a pause before it: the pause runs from when the program was given the part before. */
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
