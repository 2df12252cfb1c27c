import type { Logger } from 'pino';
import type { OpenTerminal, ShardStats, StreamMessage } from '../workers/shard/protocol.js';
import type { RowsAnswer, RowsQuery } from '../workers/shard/screen-rows-api.js';
import type { ShardClient } from '../workers/shard/shard-client.js';
import type { LineSearchChange } from '../workers/shard/watches/watch-api.js';
import type { Supervised } from './kernel/supervised.js';

/** A shard's message about one of its terminals. */
export type TerminalMessage = Exclude<StreamMessage, { type: 'spill-fault' }>;

/** Work of a shard on a terminal from its first byte on, besides keeping its screen. */
export type OpenPlan = Omit<OpenTerminal, 'id' | 'handle' | 'isNew' | 'isHeld'>;

export interface ShardsOptions {
  count: number;
  socketPath: string;
  instanceId: string;
  /** Lines of scrollback of each screen. */
  scrollback: number;
  /** See {@link ShardOptions}. */
  spillFolder: string;
  logger: Logger;
  /** Whether terminals feed the search index at all: it is on (setting `search.index`), and the disk has room. */
  isFeeding: () => boolean;
  /**
   * Called each time a terminal is placed on a shard, also after the death of a shard. Returns undefined for a terminal
   * that is closed by then.
   */
  openPlan: (id: string) => OpenPlan | undefined;
  /** Called each time a shard is replaced: returns the standing searches that its successor begins with. */
  searches: () => LineSearchChange;
  onStream: (message: TerminalMessage) => void;
  /** Called for terminals that have a new shard; part of their output may not have been streamed. */
  onRehomed: (ids: string[]) => void;
  /** Called when a shard has died too often. */
  onGaveUp: (reason: Error) => void;
}

/** Metrics of one shard. */
export interface ShardReport {
  /** Number of times that the shard died and was replaced. */
  restarts: number;
  /**
   * Bytes read from PTYs since the service started, without bytes that a shard read after its last heartbeat and before
   * its death.
   */
  outputBytes: number;
  /** Undefined when the shard does not answer in time. */
  now: ShardStats | undefined;
}

/** Calls of shards for the rows of screens, and the terminals that have no shard. */
export interface ScreenRowsCalls {
  calls: Array<{ queries: RowsQuery[]; answer: Promise<RowsAnswer> }>;
  missing: string[];
}

/** A place for a shard: its thread, which is replaced when it dies, and the terminals that live there. */
export interface Slot {
  supervised: Supervised<ShardClient>;
  restarts: number;
  /** Bytes that the slot's earlier threads read, and that its present thread had read when it was last asked. */
  outputBytes: { earlier: number; present: number };
  /** Handles at the pty host of the terminals that live here, by id. */
  terminals: Map<string, number>;
  heartbeat: NodeJS.Timeout;
}
