import type { Logger } from 'pino';
import type { OpenTerminal, ShardStats, StreamMessage } from '../workers/shard/protocol.js';

/** A shard's message about one of its terminals. */
export type TerminalMessage = Exclude<StreamMessage, { type: 'spill-fault' }>;

/** What a shard does with a terminal from its first byte on, besides keeping its screen. */
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
  /** Called each time a terminal is placed on a shard, also after the death of a shard. */
  openPlan: (id: string) => OpenPlan;
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
   * Bytes read from PTYs since the service started, without those that a shard read after its last heartbeat and before
   * its death.
   */
  outputBytes: number;
  /** Undefined when the shard does not answer in time. */
  now: ShardStats | undefined;
}
