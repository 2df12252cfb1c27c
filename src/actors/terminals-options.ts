import type { Logger } from 'pino';
import type { EngineOptions } from './engine.js';
import type { NewTerminalOptions } from './new-terminal.js';
import type { Shards } from './shards.js';
import type { OpenPlan, ShardsOptions } from './shards-options.js';
import type { TerminalRecord } from './terminal-record.js';

type ShardCallbacks = Parameters<EngineOptions['startShards']>[0] & Pick<ShardsOptions, 'openPlan'>;

export interface TerminalsOptions
  extends NewTerminalOptions,
    Pick<EngineOptions, 'connectHost' | 'onGaveUp'> {
  startShards: (callbacks: ShardCallbacks) => Shards;
  /** What its shard is to do with a terminal. */
  openPlan: (id: string, terminal: Pick<TerminalRecord, 'meta' | 'exit'>) => OpenPlan;
  /** Time an exited terminal still answers reads. */
  keepExitedMs: () => number;
  logger: Logger;
}
