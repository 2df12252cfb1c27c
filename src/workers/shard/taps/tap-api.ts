/** Place where a reader of raw output begins: the terminal's first byte, or the next byte. */
export type TapFrom = 'start' | 'now';

/** Raw output for a reader. */
export interface TapSlice {
  bytes: Uint8Array;
  /** Whether the program has exited, and these are its last bytes. */
  isLast: boolean;
}

/** Calls about readers of raw output; a part of `ShardApi`. */
export interface TapApi {
  /**
   * Adds a reader of the terminal's raw output, named by a number that no other reader of any terminal has. Throws
   * `output-gone` if the output from the start on is no longer kept.
   */
  tap(id: string, reader: number, from: TapFrom): Promise<void>;
  /**
   * Resolves with a reader's next output, or with nothing after TAP_WAIT_MS. Rejects with `output-gone` if the reader
   * has missed output, and with `terminal-not-found` when the terminal is closed.
   */
  takeTapped(id: string, reader: number): Promise<TapSlice>;
  /** Removes a reader; an unknown one is ignored. */
  untap(id: string, reader: number): void;
}
