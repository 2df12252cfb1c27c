import type { ChangesAnswer } from '../contract/changes.js';
import { DomainError } from '../contract/errors.js';
import { CALL_DEADLINE_MS, SHOWN_TEXT_MS } from '../contract/limits.js';
import type { Capture, Snapshot } from '../contract/terminal.js';
import type { PieceQuery, RangePiece } from '../workers/shard/piece-query.js';
import type {
  Awaited,
  Met,
  OutputQuery,
  RangeQuery,
  RangeText,
  ReadPage,
  TypedText,
} from '../workers/shard/protocol.js';
import type { RowsQuery } from '../workers/shard/screen-rows-api.js';
import type { PlaceStatus, ScreenStatus } from '../workers/shard/screen-status.js';
import type { ScreenRowsCalls } from './shards-options.js';
import type { Terminals } from './terminals.js';

/** Asks shards what the terminals that live there show and have printed. */
export class Screens {
  readonly #terminals: Pick<Terminals, 'onShard' | 'shards'>;
  #waiters = 0;

  constructor(terminals: Pick<Terminals, 'onShard' | 'shards'>) {
    this.#terminals = terminals;
  }

  /** Returns a page of output. Throws terminal-not-found, invalid-cursor. */
  output(id: string, query: OutputQuery): Promise<ReadPage> {
    return this.#terminals.onShard(id, (shard) => shard.read(id, query));
  }

  snapshot(id: string): Promise<Snapshot> {
    return this.#terminals.onShard(id, (shard) => shard.snapshot(id));
  }

  capture(id: string, scrollback: boolean): Promise<Capture> {
    return this.#terminals.onShard(id, (shard) => shard.capture(id, scrollback));
  }

  /** Returns the exact text of a range of output. Throws terminal-not-found, invalid-cursor. */
  rangeText(id: string, query: RangeQuery, deadlineMs?: number): Promise<RangeText> {
    return this.#terminals.onShard(id, (shard) => shard.rangeText(id, query), deadlineMs);
  }

  /** Returns the next piece of the text of a range of output. Throws terminal-not-found, invalid-cursor. */
  rangePiece(id: string, query: PieceQuery, deadlineMs?: number): Promise<RangePiece> {
    return this.#terminals.onShard(id, (shard) => shard.rangePiece(id, query), deadlineMs);
  }

  /** Returns the cursor and the modes. See {@link Terminals.onShard}. */
  place(id: string, deadlineMs?: number): Promise<PlaceStatus> {
    return this.#terminals.onShard(id, (shard) => shard.place(id), deadlineMs);
  }

  /** Like {@link place}, with the rows of the screen. */
  look(id: string, deadlineMs?: number): Promise<ScreenStatus> {
    return this.#terminals.onShard(id, (shard) => shard.look(id), deadlineMs);
  }

  /**
   * Returns the cursor at the end of the output; null if the shard does not report it in time. Throws
   * terminal-not-found.
   */
  async cursor(id: string, deadlineMs: number): Promise<string | null> {
    try {
      return (await this.place(id, deadlineMs)).cursor;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'unavailable') return null;
      throw error;
    }
  }

  /** See {@link ShardApi.isShown}; rejects if the terminal or its shard is gone. */
  isShown(id: string, typed: TypedText): Promise<boolean> {
    const deadline = SHOWN_TEXT_MS + CALL_DEADLINE_MS;
    return this.#terminals.onShard(id, (shard) => shard.isShown(id, typed), deadline);
  }

  /** Makes the shard accept marks of one command that carry this token. */
  expectMarks(id: string, token: string): Promise<void> {
    return this.#terminals.onShard(id, (shard) => shard.expectMarks(id, token));
  }

  /** Returns the output of every terminal that has printed since its cursor. */
  async changes(cursors: ReadonlyMap<string, string | null>, maxBytes: number): Promise<ChangesAnswer> {
    const shards = await this.#terminals.shards;
    return shards.changes(cursors, maxBytes);
  }

  /** Asks for the rows of screens; rejects while the shards are being replaced and cannot be. */
  async rows(queries: readonly RowsQuery[]): Promise<ScreenRowsCalls> {
    const shards = await this.#terminals.shards;
    return shards.screenRows(queries);
  }

  /**
   * Resolves once the awaited condition holds. Rejects with terminal-not-found when the terminal exits or is closed
   * first, with `unavailable` when its shard dies, and with the signal's reason.
   */
  async until(id: string, awaited: Awaited, timeoutMs: number, signal: AbortSignal): Promise<Met> {
    signal.throwIfAborted();
    const waiter = ++this.#waiters;
    const cancel = () => {
      // A shard that is gone has no waiters; a busy shard handles the cancel later.
      this.#terminals.onShard(id, (shard) => shard.cancel(id, waiter)).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const deadline = timeoutMs + CALL_DEADLINE_MS;
      return await this.#terminals.onShard(id, (shard) => shard.until(id, waiter, awaited), deadline);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

/** Returns whether an error says that a terminal does not exist, or not any more. */
export function isGone(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'terminal-not-found';
}
