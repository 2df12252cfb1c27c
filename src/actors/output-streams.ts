import { CALL_DEADLINE_MS, TAP_WAIT_MS } from '../contract/limits.js';
import type { TapFrom } from '../workers/shard/taps/tap-api.js';
import { unlessAborted } from './abortable.js';
import type { Terminals } from './terminals.js';

export interface OutputStreamsOptions {
  terminals: Pick<Terminals, 'onShard'>;
}

/** Streams of the raw output of terminals. */
export class OutputStreams {
  readonly #options: OutputStreamsOptions;
  #lastReader = 0;

  constructor(options: OutputStreamsOptions) {
    this.#options = options;
  }

  /**
   * Begins to read the raw output of a terminal: from its first byte on, or from now on. Resolves once nothing that is
   * printed is missed. The slices end after the last byte of a program that has exited; they throw if output is missing,
   * also when the terminal is closed or its shard dies, and at the signal. Throws terminal-not-found, output-gone.
   */
  async open(
    id: string,
    from: TapFrom,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<Uint8Array, void, void>> {
    const reader = ++this.#lastReader;
    await this.#options.terminals.onShard(id, (shard) => shard.tap(id, reader, from));
    return this.#slices(id, reader, signal);
  }

  async *#slices(id: string, reader: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    const { terminals } = this.#options;
    const take = () => {
      const deadlineMs = TAP_WAIT_MS + CALL_DEADLINE_MS;
      const slice = terminals.onShard(id, (shard) => shard.takeTapped(id, reader), deadlineMs);
      // It may fail while the reader still takes the slice before.
      slice.catch(() => undefined);
      return slice;
    };
    try {
      for (let next = take(); ; ) {
        const { bytes, isLast } = await unlessAborted(next, signal);
        // The shard makes the next slice while the reader takes this one.
        if (!isLast) next = take();
        if (bytes.length > 0) yield bytes;
        if (isLast) return;
      }
    } finally {
      // It fails only if there is nothing to remove: the terminal or its shard is gone.
      terminals.onShard(id, (shard) => shard.untap(id, reader)).catch(() => undefined);
    }
  }
}
