import type { Logger } from 'pino';
import type { OpenTerminal, ShardStats, StreamMessage } from '../workers/shard/protocol.js';

/** What a shard tells of one of its terminals. */
export type TerminalMessage = Exclude<StreamMessage, { type: 'watching' | 'settled' | 'spill-fault' }>;

/** What a shard is to do with a terminal from its first byte on, beside keeping its screen. */
export type OpenPlan = Omit<OpenTerminal, 'id' | 'handle' | 'isNew'>;

export interface ShardsOptions {
  count: number;
  socketPath: string;
  instanceId: string;
  /** Lines. */
  scrollback: number;
  /** See {@link ShardOptions}. */
  spillFolder: string;
  logger: Logger;
  /** Whether terminals feed the search index at all (setting `search.index`). */
  isFeeding: () => boolean;
  /** Asked each time a terminal gets a home, also a new one after a death. */
  openPlan: (id: string) => OpenPlan;
  /** `watching` is the number of the interest that this shard's frames follow by now. */
  onStream: (message: TerminalMessage, watching: number) => void;
  /** These terminals have a new shard; some of their output may not have been streamed. */
  onRehomed: (ids: string[]) => void;
  /** A shard died too often. */
  onGaveUp: (reason: Error) => void;
}

/** One shard, for the metrics. */
export interface ShardReport {
  /** Times that it died and was replaced. */
  restarts: number;
  /** Bytes read from PTYs since the service began; what a dead one had read after its last heartbeat is lost. */
  outputBytes: number;
  /** Undefined when it does not answer in time. */
  now: ShardStats | undefined;
}
