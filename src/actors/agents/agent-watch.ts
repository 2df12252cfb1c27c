import { setTimeout as delay } from 'node:timers/promises';
import { type AgentExplanation, type AgentState, NO_AGENT } from '../../contract/agent.js';
import { DomainError } from '../../contract/errors.js';
import { AGENT_LOOK_MS } from '../../contract/limits.js';
import type { AgentStatus } from '../../contract/wait.js';
import type { EngineEvent } from '../events.js';
import type { Processes } from '../processes/processes.js';
import type { Terminals } from '../terminals.js';
import type { AgentLooks } from './agent-looks.js';
import { AgentTimes } from './agent-times.js';
import { AgentView, type AgentViewOptions } from './agent-view.js';
import { AgentWaits } from './agent-waits.js';
import type { Glimpse } from './glimpse.js';
import { isSame, Steady } from './steady.js';

export interface AgentWatchOptions extends Pick<AgentViewOptions, 'screens' | 'settings'> {
  terminals: Pick<Terminals, 'announce' | 'running' | 'startOf' | 'subscribe'>;
  processes: Pick<Processes, 'agents'>;
  looks: Pick<AgentLooks, 'explain' | 'glimpse' | 'look' | 'states'>;
  /** Returns whether followers were notified of an agent in the terminal, so that they must be notified when it is gone. */
  wasTold: (id: string) => boolean;
  /** Waits this many milliseconds between two rounds of looks; tests pass another function. */
  pause?: (ms: number) => Promise<unknown>;
  /**
   * Called when processes or a screen could not be looked at, unless only because a terminal is gone or a shard is
   * late.
   */
  onFault: (error: unknown) => void;
}

/** A terminal with an agent, while it is watched. */
interface Watched {
  view: AgentView;
  /** State last reported to the followers. */
  steady: Steady;
  /** Status according to the last look. */
  status: AgentStatus | null;
}

/**
 * Watches the states of the coding agents in the terminals. While there are followers or waits, they are looked at once
 * a second, with one reading of the process table for all; otherwise nothing runs.
 */
export class AgentWatch {
  readonly #options: AgentWatchOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #waits = new AgentWaits();
  readonly #times = new AgentTimes();
  /** The last state of each terminal that a list has returned, until followers are notified of the terminal. */
  readonly #listed = new Map<string, AgentState>();
  #isFollowed = false;
  #isRunning = false;
  /** Number of the round of looks that began last. */
  #look = 0;

  constructor(options: AgentWatchOptions) {
    this.#options = options;
    options.terminals.subscribe((event) => this.#onEvent(event));
  }

  /**
   * Sets whether changes are announced to followers of terminals. The state of each agent at that time is announced as
   * a change, too.
   */
  setFollowed(isFollowed: boolean): void {
    this.#isFollowed = isFollowed;
    if (!isFollowed) this.#forgetAll();
    this.#start();
  }

  /** Lets the next look announce every agent's state, for a follower that came after the last announcement. */
  announceAgain(): void {
    for (const watched of this.#watched.values()) watched.steady = new Steady(undefined);
  }

  /** Returns the state of a terminal's agent at this moment. Throws terminal-not-found. */
  async state(id: string): Promise<AgentState> {
    const agent = await this.#agentOf(id);
    if (agent === null) return NO_AGENT;
    const states = await this.#options.looks.states(new Map([[id, agent]]));
    return states.get(id) ?? NO_AGENT;
  }

  /** Returns the agent's state and the time of the last output, both as of one moment. Throws as {@link explain} does. */
  async glimpse(id: string): Promise<Glimpse> {
    return this.#options.looks.glimpse(id, await this.#agentOf(id));
  }

  /**
   * Returns the agent's state with everything that decided it. Throws terminal-not-found, and `unavailable` when the
   * screen cannot be read in time.
   */
  async explain(id: string): Promise<AgentExplanation> {
    const agent = await this.#agentOf(id);
    if (agent !== null) return this.#options.looks.explain(id, agent);
    return { ...NO_AGENT, rule: null, row: null, line: null, title: null, quietMs: null, rules: [] };
  }

  /**
   * Resolves once the agent of a terminal has this status, in two looks in a row unless the status is `waiting`;
   * without a status, once the agent does something else than at first. Only looks taken after the call count, and no
   * screen that has not changed since something was typed. Rejects with terminal-not-found when the terminal is gone or
   * ends, and with the signal's reason.
   */
  async until(id: string, status: AgentStatus | undefined, signal: AbortSignal): Promise<AgentState> {
    signal.throwIfAborted();
    if (this.#options.terminals.startOf(id).exit) throw new DomainError('terminal-not-found');
    const wait = this.#waits.add(id, status, this.#look + 1, signal);
    // If rounds run already, the next may be a second away, and by then the agent may have begun something else.
    if (this.#isRunning && status === undefined) this.#lookFirst(id).catch(this.#options.onFault);
    this.#start();
    return wait;
  }

  /**
   * Notes the state of a terminal that a list returns. If followers were last notified of another state, that state is
   * announced again: otherwise no event would correct the state that a client, which lists and follows, has read from
   * the list. Returns since when the agent is in this state, in epoch milliseconds; null if that is not known, as for a
   * state that the agent was in when the first follower came.
   */
  listed(id: string, state: AgentState): number | null {
    if (state.agent !== null || this.#watched.has(id)) this.#listed.set(id, state);
    return this.#times.since(id, state);
  }

  /** Whether rounds of looks run, and the numbers of watched terminals and of waits. */
  get load(): { isRunning: boolean; watched: number; waits: number } {
    return { isRunning: this.#isRunning, watched: this.#watched.size, waits: this.#waits.size };
  }

  /** Number of watched agents by their status at the last look. */
  get figures(): Record<AgentStatus, number> {
    const figures = { idle: 0, working: 0, waiting: 0 };
    for (const { status } of this.#watched.values()) if (status) figures[status]++;
    return figures;
  }

  get #isWanted(): boolean {
    return this.#isFollowed || this.#waits.size > 0;
  }

  #start(): void {
    if (!this.#isRunning && this.#isWanted) void this.#run();
  }

  async #run(): Promise<void> {
    const { onFault, pause = unhurried } = this.#options;
    this.#isRunning = true;
    while (this.#isWanted) {
      const began = performance.now();
      await this.#lookAtAll().catch(onFault);
      await pause(Math.max(0, AGENT_LOOK_MS - (performance.now() - began)));
    }
    this.#isRunning = false;
    this.#forgetAll();
  }

  async #lookAtAll(): Promise<void> {
    const look = ++this.#look;
    const { processes, terminals } = this.#options;
    if (this.#isFollowed) this.#times.begin(terminals.running().map(({ id }) => id));
    const agents = await processes.agents(this.#isFollowed ? undefined : this.#waits.ids);
    // Without followers, only terminals with pending waits stay watched.
    for (const id of [...this.#watched.keys()]) if (!agents.has(id)) this.#forget(id);
    const typed = new Map(terminals.running().map(({ id, typedAt }) => [id, typedAt]));
    const looks = [...agents].map(([id, agent]) => this.#lookAt(id, agent, look, typed.get(id) ?? null));
    await Promise.all(looks);
  }

  async #lookAt(id: string, agent: string | null, look: number, typedAt: number | null): Promise<void> {
    const watched = this.#watched.get(id) ?? this.#watchedFor(agent, id);
    const glimpse = await watched.view.look(agent);
    if (!glimpse) return;
    watched.status = glimpse.state.agentStatus;
    this.#waits.take(id, look, glimpse, typedAt);
    // Meanwhile the terminal or the last follower may have gone.
    if (!this.#isFollowed || this.#watched.get(id) !== watched) return;
    this.#times.looked(id, glimpse.state);
    const changed = watched.steady.take(glimpse.state);
    const isAgain = this.#isListedOtherwise(id, watched.steady.told);
    const told = changed ?? (isAgain ? watched.steady.told : undefined);
    if (!told) return;
    this.#listed.delete(id);
    const agentSince = this.#times.told(id, told);
    this.#options.terminals.announce({ type: 'agent', id, agent: { ...told, agentSince }, isAgain });
  }

  /** Returns whether a list has returned another state than `told`, the state that followers got last. */
  #isListedOtherwise(id: string, told: AgentState | undefined): boolean {
    const listed = this.#listed.get(id);
    return listed !== undefined && told !== undefined && !isSame(listed, told);
  }

  /**
   * Takes an extra look for callers that have just begun to wait for any change, so that they get their first state.
   */
  async #lookFirst(id: string): Promise<void> {
    const { terminals, processes } = this.#options;
    const waits = this.#waits.beginning(id);
    const agent = (await processes.agents(new Set([id]))).get(id) ?? null;
    const typedAt = terminals.running().find((terminal) => terminal.id === id)?.typedAt ?? null;
    const view = new AgentView(id, this.#options);
    try {
      const glimpse = await view.look(agent);
      if (glimpse) this.#waits.begin(waits, glimpse, typedAt);
    } finally {
      view.close();
    }
  }

  #watchedFor(agent: string | null, id: string): Watched {
    const view = new AgentView(id, this.#options);
    const wasTold = this.#options.wasTold(id);
    const watched: Watched = { view, steady: new Steady(wasTold ? undefined : NO_AGENT), status: null };
    // Terminals without an agent are not stored, since most never have one.
    if (agent !== null || wasTold) this.#watched.set(id, watched);
    return watched;
  }

  #onEvent({ type, id }: EngineEvent): void {
    if (type !== 'exited' && type !== 'removed') return;
    this.#forget(id);
    this.#times.forget(id);
    this.#listed.delete(id);
    this.#waits.fail(id, new DomainError('terminal-not-found'));
  }

  #forgetAll(): void {
    this.#times.clear();
    for (const id of [...this.#watched.keys()]) this.#forget(id);
  }

  #forget(id: string): void {
    this.#watched.get(id)?.view.close();
    this.#watched.delete(id);
  }

  /** Returns the agent in the foreground, or null if there is none. Throws terminal-not-found. */
  async #agentOf(id: string): Promise<string | null> {
    if (this.#options.terminals.startOf(id).exit) return null;
    const agents = await this.#options.processes.agents(new Set([id]));
    return agents.get(id) ?? null;
  }
}

/** Pauses without keeping the process alive. */
function unhurried(ms: number): Promise<unknown> {
  return delay(ms, undefined, { ref: false });
}
