import type { Logger } from 'pino';
import type { Profile } from '../contract/profile.js';
import type { CreateTerminal } from '../contract/terminal.js';
import type { EngineOptions } from './engine.js';
import type { Integrate } from './new-terminal.js';
import type { Profiles } from './profiles.js';
import type { Shards } from './shards.js';
import type { OpenPlan, ShardsOptions } from './shards-options.js';
import type { TerminalMeta } from './terminal-record.js';

type ShardCallbacks = Parameters<EngineOptions['startShards']>[0] & Pick<ShardsOptions, 'openPlan'>;

export interface TerminalsOptions extends Pick<EngineOptions, 'connectHost' | 'onGaveUp'> {
  startShards: (callbacks: ShardCallbacks) => Shards;
  profiles: Profiles;
  /** The environment of a shell. */
  environment: (profile: Profile, request: CreateTerminal, id: string) => Record<string, string>;
  /**
   * The tab that a new terminal belongs to. Throws where the request wants it beside what is not there; nothing
   * has been started then.
   */
  tabFor: (request: CreateTerminal) => string;
  /** What its shard is to do with a terminal. */
  openPlan: (id: string, meta: TerminalMeta) => OpenPlan;
  /** Has the shell of a new terminal tell of its commands, where it can. */
  integrate: Integrate;
  /** Time an exited terminal still answers reads. */
  keepExitedMs: () => number;
  logger: Logger;
}
