import type { CommandFigures } from '../../actors/commands/commands.js';
import type { Outcomes } from '../../actors/outcomes.js';
import type { SearchStats } from '../../actors/search/search-index.js';
import type { ShardReport } from '../../actors/shards-options.js';
import type { AgentStatus } from '../../contract/wait.js';
import type { LoopDelay } from '../../workers/loop-delay.js';
import type { StreamFigures } from '../ws/fan-out.js';

/** Where the metrics come from; everything is asked at a scrape, and counts on its own until then. */
export interface MetricsSources {
  terminals: () => { running: number; exited: number };
  /** Since the service began. */
  traffic: { readonly created: number; readonly typedBytes: number };
  shards: () => Promise<ShardReport[]>;
  stream: () => StreamFigures;
  /** Jobs that wait for a thread, by pool. */
  jobs: () => Record<string, number>;
  /** Cut: since the service began. */
  recordings: () => { active: number; cut: number };
  /** Of the disk; undefined where the system does not say. */
  freeBytes: () => number | undefined;
  search: () => SearchStats;
  commands: () => CommandFigures;
  /** Waits and runs that go on. */
  waits: () => number;
  /** Since the service began. */
  outcomes: Pick<Outcomes, 'runs' | 'slowRegexes'>;
  /** Those that are watched. */
  agents: () => Record<AgentStatus, number>;
  /** Restarts are those since the service began. */
  sidecar: { readonly url: string | undefined; readonly restarts: number };
  /** Answers that were given again to repeated requests. */
  replays: () => number;
  /** Of the main thread, since the call before. */
  loopDelay: () => LoopDelay;
}
