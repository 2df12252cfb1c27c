import { DomainError } from '../../contract/errors.js';
import { MAX_AGENT_CANDIDATES } from '../../contract/limits.js';
import type { ProcessEntry, ProcessList, ProcessMetrics } from '../../contract/system.js';
import type { RunningTerminal } from '../terminal-record.js';
import { type AgentSettings, type AgentTable, agentTable } from './agents.js';
import { CpuMeter } from './cpu-meter.js';
import { baseName, displayName } from './names.js';
import type { ProcessDetails, ProcessInfo, ProcessTable } from './process-table.js';
import { agentOf, launchedAgentOf } from './recognize.js';
import { inSlices } from './slices.js';

export interface ProcessesOptions {
  table: ProcessTable;
  /** The terminals whose programs run, at each moment. */
  terminals: () => RunningTerminal[];
  /** The agents of the configuration, at each moment. */
  agents: () => AgentSettings;
  /** Cores of this machine. */
  cores: number;
}

/** What was found out about the processes of a snapshot, by pid. */
type Known = ReadonlyMap<number, ProcessDetails>;

interface FoundAgent {
  label: string;
  exe: string | null;
}

const UNKNOWN: ProcessDetails = { argv: [], exe: null };

/** What runs in the terminals. */
export class Processes {
  readonly #options: ProcessesOptions;
  readonly #meter: CpuMeter;

  constructor(options: ProcessesOptions) {
    this.#options = options;
    this.#meter = new CpuMeter(options.table, options.cores);
  }

  /** One entry for each running terminal; the process table is read once for all of them. */
  async list(): Promise<ProcessList> {
    const agents = agentTable(this.#options.agents());
    const running = [...this.#running().values()];
    const snapshot = await this.#options.table.snapshot();
    const jobs = new Map<RunningTerminal, readonly ProcessInfo[]>();
    await inSlices(running, (terminal) => {
      const job = snapshot.terminal(terminal.pid)?.foreground ?? [];
      jobs.set(terminal, job.slice(0, MAX_AGENT_CANDIDATES));
    });
    const known = await this.#detailsOf([...jobs.values()], agents);
    const processes: ProcessEntry[] = [];
    await inSlices(running, (terminal) => {
      processes.push(toEntry(terminal, jobs.get(terminal) ?? [], known, agents));
    });
    return { processes, count: processes.length };
  }

  /** CPU and memory of all processes of a terminal. Throws `process-not-found`. */
  async metrics(id: string): Promise<ProcessMetrics> {
    const terminal = this.#running().get(id);
    const usage = terminal && (await this.#meter.measure(id, terminal.pid));
    if (!usage || !this.#running().has(id)) throw new DomainError('process-not-found');
    return { id, ...usage, timestamp: new Date().toISOString() };
  }

  /** Of the first process of each job, and of the others where the first one is no agent. */
  async #detailsOf(jobs: readonly (readonly ProcessInfo[])[], agents: AgentTable): Promise<Known> {
    const { table } = this.#options;
    const leaders = await table.details(jobs.flatMap(([leader]) => (leader ? [leader.pid] : [])));
    const unclear: number[] = [];
    await inSlices(jobs, ([leader, ...others]) => {
      if (leader && others.length > 0 && !firstAgent([leader], leaders, agents, agentOf)) {
        unclear.push(...others.map(({ pid }) => pid));
      }
    });
    return unclear.length === 0 ? leaders : new Map([...leaders, ...(await table.details(unclear))]);
  }

  /** By id; what is remembered of other terminals is dropped. */
  #running(): Map<string, RunningTerminal> {
    const running = new Map(this.#options.terminals().map((terminal) => [terminal.id, terminal]));
    this.#meter.keepOnly(running);
    return running;
  }
}

function toEntry(
  terminal: RunningTerminal,
  job: readonly ProcessInfo[],
  known: Known,
  agents: AgentTable,
): ProcessEntry {
  const [app] = job;
  const agent = agentIn(job, known, agents);
  return {
    id: terminal.id,
    pid: terminal.pid,
    shell: terminal.shell,
    name: terminal.name,
    // A shell that was started, or has ended, around the snapshot stands for itself.
    currentApp: app
      ? { pid: app.pid, name: displayName(app.name, known.get(app.pid) ?? UNKNOWN) }
      : { pid: terminal.pid, name: baseName(terminal.shell) },
    agent: agent?.label ?? null,
    agentExe: agent?.exe ?? null,
    lastInputSource: terminal.lastInputSource,
    lastInputAt: terminal.lastInputAt,
    createdAt: terminal.createdAt,
    isAlive: true,
  };
}

/** The first process of a job that is an agent; failing that, the first that was told to fetch and run one. */
function agentIn(job: readonly ProcessInfo[], known: Known, agents: AgentTable): FoundAgent | null {
  return firstAgent(job, known, agents, agentOf) ?? firstAgent(job, known, agents, launchedAgentOf);
}

function firstAgent(
  job: readonly ProcessInfo[],
  known: Known,
  agents: AgentTable,
  recognize: typeof agentOf,
): FoundAgent | null {
  for (const { pid, name } of job) {
    const details = known.get(pid);
    const label = details && recognize({ name, ...details }, agents);
    if (label) return { label, exe: details.exe };
  }
  return null;
}
