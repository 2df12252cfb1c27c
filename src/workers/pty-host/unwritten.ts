import { decodeWritten, type Written } from './typing.js';

/** Called once for each terminal that took a request; `handle` is the terminal's. */
export type OnWritten = (handle: number, written: Written) => void;

/** What one connection has typed and the host has not reported as written. */
export class Unwritten {
  /** By the number of the call: terminals that have not reported. */
  readonly #calls = new Map<number, { terminals: number; onWritten: OnWritten }>();

  /** To be called before the request is sent. */
  expect(call: number, terminals: number, onWritten: OnWritten): void {
    this.#calls.set(call, { terminals, onWritten });
  }

  /** So many terminals of the call have not taken it: they report nothing. */
  forget(call: number, terminals = Number.POSITIVE_INFINITY): void {
    const expected = this.#calls.get(call);
    if (!expected) return;
    expected.terminals -= terminals;
    if (expected.terminals <= 0) this.#calls.delete(call);
  }

  /** The payload of a `written` frame of the terminal. Throws FramingError. */
  written(handle: number, payload: Buffer): void {
    const { call, written } = decodeWritten(payload);
    const expected = this.#calls.get(call);
    this.forget(call, 1);
    expected?.onWritten(handle, written);
  }
}
