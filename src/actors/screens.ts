import type { ChangesAnswer } from '../contract/changes.js';
import { DomainError } from '../contract/errors.js';
import { CALL_DEADLINE_MS, SHOWN_TEXT_MS } from '../contract/limits.js';
import type { Capture, Snapshot } from '../contract/terminal.js';
import type {
  Awaited,
  Look,
  Met,
  OutputQuery,
  ReadPage,
  StretchQuery,
  StretchText,
  TypedText,
} from '../workers/shard/protocol.js';
import type { Terminals } from './terminals.js';

/** What terminals show and have printed, asked of the shards that they live in. */
export class Screens {
  readonly #terminals: Pick<Terminals, 'onShard' | 'shards'>;
  #waiters = 0;

  constructor(terminals: Pick<Terminals, 'onShard' | 'shards'>) {
    this.#terminals = terminals;
  }

  /** Throws terminal-not-found, invalid-cursor. */
  output(id: string, query: OutputQuery): Promise<ReadPage> {
    return this.#terminals.onShard(id, (shard) => shard.read(id, query));
  }

  snapshot(id: string): Promise<Snapshot> {
    return this.#terminals.onShard(id, (shard) => shard.snapshot(id));
  }

  capture(id: string, scrollback: boolean): Promise<Capture> {
    return this.#terminals.onShard(id, (shard) => shard.capture(id, scrollback));
  }

  /** The exact text of a stretch of output. Throws terminal-not-found, invalid-cursor. */
  stretch(id: string, query: StretchQuery): Promise<StretchText> {
    return this.#terminals.onShard(id, (shard) => shard.stretch(id, query));
  }

  /** See {@link Terminals.onShard}. */
  look(id: string, deadlineMs?: number): Promise<Look> {
    return this.#terminals.onShard(id, (shard) => shard.look(id), deadlineMs);
  }

  /** Where the output stands; null where the shard does not say it in time. Throws terminal-not-found. */
  async cursor(id: string, deadlineMs: number): Promise<string | null> {
    try {
      return (await this.look(id, deadlineMs)).cursor;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'unavailable') return null;
      throw error;
    }
  }

  /** See {@link ShardApi.isShown}; rejects where the terminal or its shard has gone. */
  isShown(id: string, typed: TypedText): Promise<boolean> {
    const deadline = SHOWN_TEXT_MS + CALL_DEADLINE_MS;
    return this.#terminals.onShard(id, (shard) => shard.isShown(id, typed), deadline);
  }

  /** Has marks of one command that carry this token taken. */
  expectMarks(id: string, token: string): Promise<void> {
    return this.#terminals.onShard(id, (shard) => shard.expectMarks(id, token));
  }

  /** Of every terminal that has printed since its cursor. */
  async changes(cursors: ReadonlyMap<string, string | null>, maxBytes: number): Promise<ChangesAnswer> {
    const shards = await this.#terminals.shards;
    return shards.changes(cursors, maxBytes);
  }

  /**
   * Resolves once what is awaited is so. Rejects with terminal-not-found when the terminal exits or is closed first,
   * with `unavailable` when its shard dies, and with the signal's reason.
   */
  async until(id: string, awaited: Awaited, timeoutMs: number, signal: AbortSignal): Promise<Met> {
    signal.throwIfAborted();
    const waiter = ++this.#waiters;
    const cancel = () => {
      // A shard that is gone has no waiters; one that is busy takes the cancel when it comes to it.
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

/** Whether a terminal is not there, or not any more. */
export function isGone(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'terminal-not-found';
}
