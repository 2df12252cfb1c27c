import type { CommandFigures } from '../../actors/commands/command-figures.js';
import type { InputGate } from '../../actors/input-gate/input-gate.js';
import type { Outcomes } from '../../actors/outcomes.js';
import type { Prompts } from '../../actors/prompts/prompts.js';
import type { SearchStats } from '../../actors/search/search-index.js';
import type { ShardReport } from '../../actors/shards-options.js';
import type { Watches } from '../../actors/watches/watches.js';
import type { Webhooks } from '../../actors/webhooks/webhooks.js';
import type { AgentStatus } from '../../contract/wait.js';
import type { FleetFigures } from '../../fleet/machines.js';
import type { LoopDelay } from '../../workers/loop-delay.js';
import type { StreamFigures } from '../ws/stream-figures.js';

/** Sources of the metrics: they count on their own, and each scrape reads all of them. */
export interface MetricsSources {
  terminals: () => { running: number; exited: number };
  /** Counts since the start of the service. */
  traffic: { readonly created: number; readonly typedBytes: number; readonly oomKilled: number };
  shards: () => Promise<ShardReport[]>;
  stream: () => StreamFigures;
  /** Jobs that wait for a thread, by pool. */
  jobs: () => Record<string, number>;
  /** Running recordings, and recordings cut short since the start of the service. */
  recordings: () => { active: number; cut: number };
  /** Free space of the disk; undefined where the system does not report it. */
  freeBytes: () => number | undefined;
  search: () => SearchStats;
  webhooks: Pick<Webhooks, 'counts' | 'figures'>;
  /** Creations in line, and creations refused since the start of the service, by the limit. */
  admission: { readonly length: number; readonly refused: ReadonlyMap<string, number> };
  /** Writers in line, leases that are held, and counts of decisions since the start of the service. */
  gate: Pick<InputGate, 'waiting' | 'leases' | 'figures'>;
  /** Requests refused since the start of the service, by the status of the answer. */
  access: { readonly refused: ReadonlyMap<string, number> };
  watches: Pick<Watches, 'standing' | 'figures'>;
  /** Waiting prompts, and prompts that have ended since the start of the service, by their states. */
  prompts: Pick<Prompts, 'queued' | 'ended'>;
  /** Figures of the fleet; undefined on a machine in no fleet. */
  fleet: () => FleetFigures | undefined;
  commands: () => CommandFigures;
  /** Number of waits, and of terminals that runs wait for. */
  waits: () => number;
  /** Counts since the start of the service. */
  outcomes: Pick<Outcomes, 'runs' | 'slowRegexes'>;
  /** Counts of the agents in terminals that are watched. */
  agents: () => Record<AgentStatus, number>;
  /** URL of the tool server while it runs, and its restarts since the start of the service. */
  sidecar: { readonly url: string | undefined; readonly restarts: number };
  /** Number of answers that were sent again to repeated requests. */
  replays: () => number;
  /** Delay of the main thread's event loop since the call before. */
  loopDelay: () => LoopDelay;
}
