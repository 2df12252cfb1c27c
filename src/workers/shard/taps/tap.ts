import { DomainError } from '../../../contract/errors.js';
import { TAP_BYTES, TAP_SLICE_BYTES } from '../../../contract/limits.js';
import { ByteQueue } from '../../pty-host/log/byte-queue.js';
import type { TapSlice } from './tap-api.js';

/** One reader of a terminal's raw output: the bytes that it has not taken yet. */
export class Tap {
  /** Whether the program waits for this reader, so that the reader misses nothing however slow it is. */
  readonly isHolding: boolean;
  /** Position after the last byte that the reader has taken. */
  #taken: number;
  #waiting = new ByteQueue();
  #isOver = false;
  #fault: DomainError | undefined;
  /** Ends the reader's present wait. */
  #wake: () => void = () => undefined;

  /** @param position - where the reader begins */
  constructor(position: number, isHolding: boolean) {
    this.#taken = position;
    this.isHolding = isHolding;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Adds output. A reader that does not hold the program loses its place when it is too far behind. */
  write(bytes: Uint8Array): void {
    if (this.#fault) return;
    this.#waiting.append(bytes);
    if (!this.isHolding && this.#waiting.length > TAP_BYTES) this.fail(new DomainError('output-gone'));
    this.#wake();
  }

  /** Adds output from before the reader's place. Call before the reader takes any. */
  begin(bytes: Uint8Array): void {
    const later = this.#waiting;
    this.#waiting = new ByteQueue();
    this.#waiting.append(bytes);
    for (const view of later.views(0, later.length)) this.#waiting.append(view);
    this.#taken -= bytes.length;
  }

  /** Notes that no output follows. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Ends the reader with an error, and drops the output that it has not taken. */
  fail(fault: DomainError): void {
    this.#fault ??= fault;
    this.#waiting.clear();
    this.#wake();
  }

  /**
   * Resolves with the next output as soon as there is any, else with nothing after `waitMs`. Throws the fault of
   * {@link fail}.
   */
  async take(waitMs: number): Promise<TapSlice> {
    if (this.#waiting.length === 0 && !this.#isOver && !this.#fault) await this.#changed(waitMs);
    if (this.#fault) throw this.#fault;
    const bytes = this.#next();
    this.#taken += bytes.length;
    return { bytes, isLast: this.#isOver && this.#waiting.length === 0 };
  }

  #changed(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(), waitMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => undefined;
        resolve();
      };
    });
  }

  /** Returns a copy, whose memory can move to another thread. */
  #next(): Uint8Array<ArrayBuffer> {
    const slice = new Uint8Array(Math.min(this.#waiting.length, TAP_SLICE_BYTES));
    let filled = 0;
    for (const view of this.#waiting.views(0, slice.length)) {
      slice.set(view, filled);
      filled += view.length;
    }
    this.#waiting.drop(filled);
    return slice;
  }
}
