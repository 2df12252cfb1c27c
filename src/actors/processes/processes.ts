import { type AgentState, NO_AGENT } from '../../contract/agent.js';
import { DomainError } from '../../contract/errors.js';
import { MAX_AGENT_CANDIDATES } from '../../contract/limits.js';
import type { ProcessEntry, ProcessList, ProcessMetrics } from '../../contract/system.js';
import type { RunningTerminal } from '../terminal-record.js';
import { type AgentSettings, type AgentTable, agentTable } from './agents.js';
import { CpuMeter } from './cpu-meter.js';
import { KnownDetails } from './known-details.js';
import { baseName, displayName } from './names.js';
import type { ProcessDetails, ProcessInfo, ProcessTable } from './process-table.js';
import { agentOf, launchedAgentOf } from './recognize.js';
import { inSlices } from './slices.js';

export interface ProcessesOptions {
  table: ProcessTable;
  /** Returns the terminals whose programs run at this moment. */
  terminals: () => RunningTerminal[];
  /** Returns the agents of the configuration as of this moment. */
  agents: () => AgentSettings;
  /** Resolves with the state of each of these agents, by the id of its terminal. */
  states: (agents: ReadonlyMap<string, string>) => Promise<ReadonlyMap<string, AgentState>>;
  /** Cores of this machine. */
  cores: number;
}

/** Details of the processes of a snapshot, by pid. */
type Known = ReadonlyMap<number, ProcessDetails>;

interface FoundAgent {
  label: string;
  exe: string | null;
}

/** A terminal with the program and the agent in its foreground. */
interface SeenTerminal {
  terminal: RunningTerminal;
  app: ProcessEntry['currentApp'] | null;
  agent: FoundAgent | null;
}

const UNKNOWN: ProcessDetails = { argv: [], exe: null };

/** The programs that run in the terminals. */
export class Processes {
  readonly #options: ProcessesOptions;
  readonly #meter: CpuMeter;
  readonly #details: KnownDetails;

  constructor(options: ProcessesOptions) {
    this.#options = options;
    this.#meter = new CpuMeter(options.table, options.cores);
    this.#details = new KnownDetails(options.table);
  }

  /** Resolves with one entry for each running terminal; reads the process table once for all of them. */
  async list(): Promise<ProcessList> {
    const processes = await this.entries();
    return { processes, count: processes.length };
  }

  /** Resolves with the same entries; with `ids`, only these terminals are examined. */
  async entries(ids?: { has(id: string): boolean }): Promise<ProcessEntry[]> {
    const seen = await this.#see(this.#chosen(ids));
    const states = await this.#options.states(labelsOf(seen));
    const processes: ProcessEntry[] = [];
    await inSlices(seen, (terminal) => {
      processes.push(toEntry(terminal, states.get(terminal.terminal.id) ?? NO_AGENT));
    });
    return processes;
  }

  /**
   * Returns the working directory of the process in the foreground of a terminal, or that of its shell if the process
   * has ended since it was looked at. Null if it cannot be determined.
   */
  cwd({ pid, currentApp }: Pick<ProcessEntry, 'pid' | 'currentApp'>): string | null {
    const { table } = this.#options;
    const path = table.cwd(currentApp.pid);
    return (path === undefined ? table.cwd(pid) : path) ?? null;
  }

  /**
   * Resolves with the label of the coding agent in the foreground of each running terminal, by the id of the terminal;
   * null where there is none. With `ids`, only these terminals are examined.
   */
  async agents(ids?: { has(id: string): boolean }): Promise<Map<string, string | null>> {
    const seen = await this.#see(this.#chosen(ids));
    return new Map(seen.map(({ terminal, agent }) => [terminal.id, agent?.label ?? null]));
  }

  /** Resolves with the CPU and memory use of all processes of a terminal. Rejects with `process-not-found`. */
  async metrics(id: string): Promise<ProcessMetrics> {
    const terminal = this.#running().get(id);
    const usage = terminal && (await this.#meter.measure(id, terminal.pid));
    if (!usage || !this.#running().has(id)) throw new DomainError('process-not-found');
    return { id, ...usage, timestamp: new Date().toISOString() };
  }

  /** Finds the program and the agent in the foreground of each terminal; reads the process table once. */
  async #see(running: readonly RunningTerminal[]): Promise<SeenTerminal[]> {
    const agents = agentTable(this.#options.agents());
    const snapshot = await this.#options.table.snapshot();
    const jobs = new Map<RunningTerminal, readonly ProcessInfo[]>();
    await inSlices(running, (terminal) => {
      const job = snapshot.terminal(terminal.pid)?.foreground ?? [];
      jobs.set(terminal, job.slice(0, MAX_AGENT_CANDIDATES));
    });
    const known = await this.#detailsOf([...jobs.values()], agents);
    const seen: SeenTerminal[] = [];
    await inSlices(running, (terminal) => {
      const job = jobs.get(terminal) ?? [];
      seen.push({ terminal, app: appOf(job, known), agent: agentIn(job, known, agents) });
    });
    return seen;
  }

  /** Reads the details of the first process of each job, and of the other processes where the first is not an agent. */
  async #detailsOf(jobs: readonly (readonly ProcessInfo[])[], agents: AgentTable): Promise<Known> {
    const leaders = await this.#details.of(jobs.flatMap(([leader]) => (leader ? [leader] : [])));
    const unclear: ProcessInfo[] = [];
    await inSlices(jobs, ([leader, ...others]) => {
      if (leader && others.length > 0 && !firstAgent([leader], leaders, agents, agentOf)) {
        unclear.push(...others);
      }
    });
    return unclear.length === 0 ? leaders : new Map([...leaders, ...(await this.#details.of(unclear))]);
  }

  #chosen(ids?: { has(id: string): boolean }): RunningTerminal[] {
    const running = [...this.#running().values()];
    return ids ? running.filter(({ id }) => ids.has(id)) : running;
  }

  /** Returns the running terminals by id, and drops the CPU samples of all others. */
  #running(): Map<string, RunningTerminal> {
    const running = new Map(this.#options.terminals().map((terminal) => [terminal.id, terminal]));
    this.#meter.keepOnly(running);
    return running;
  }
}

function labelsOf(seen: readonly SeenTerminal[]): Map<string, string> {
  return new Map(seen.flatMap(({ terminal, agent }) => (agent ? [[terminal.id, agent.label] as const] : [])));
}

function appOf([app]: readonly ProcessInfo[], known: Known): ProcessEntry['currentApp'] | null {
  return app ? { pid: app.pid, name: displayName(app.name, known.get(app.pid) ?? UNKNOWN) } : null;
}

function toEntry({ terminal, app, agent }: SeenTerminal, state: AgentState): ProcessEntry {
  const { id, pid, shell, name, lastInputSource, lastInputAt, createdAt } = terminal;
  // A shell that was started or has ended around the snapshot is not in it; the entry then shows the shell itself.
  const currentApp = app ?? { pid, name: baseName(shell) };
  const agentExe = agent?.exe ?? null;
  const typed = { lastInputSource, lastInputAt };
  return { id, pid, shell, name, currentApp, ...state, agentExe, ...typed, createdAt, isAlive: true };
}

/**
 * Returns the first process of a job that is an agent; failing that, the first that was started to fetch and run an
 * agent.
 */
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
