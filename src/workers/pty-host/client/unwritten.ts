import { decodeWritten, type Written } from '../wire/typing.js';

/** Called once for each terminal that accepted a request, with the handle of the terminal. */
export type OnWritten = (handle: number, written: Written) => void;

/** Requests that were typed on one connection, and that the host has not reported as written. */
export class Unwritten {
  /** By call number: how many terminals have not reported. */
  readonly #calls = new Map<number, { terminals: number; onWritten: OnWritten }>();

  /** Registers a call; must be called before the request is sent. */
  expect(call: number, terminals: number, onWritten: OnWritten): void {
    this.#calls.set(call, { terminals, onWritten });
  }

  /** Subtracts terminals of the call that have reported, or that will not; by default, all of them. */
  forget(call: number, terminals = Number.POSITIVE_INFINITY): void {
    const expected = this.#calls.get(call);
    if (!expected) return;
    expected.terminals -= terminals;
    if (expected.terminals <= 0) this.#calls.delete(call);
  }

  /** Handles the payload of a terminal's `written` frame. Throws FramingError. */
  written(handle: number, payload: Buffer): void {
    const { call, written } = decodeWritten(payload);
    const expected = this.#calls.get(call);
    this.forget(call, 1);
    expected?.onWritten(handle, written);
  }
}
