import { DomainError } from '../../contract/errors.js';
import { AGENT_LOOK_MS } from '../../contract/limits.js';
import type { AgentStatus } from '../../contract/wait.js';
import type { Occurrence } from '../../contract/wait-many.js';
import { abortable, pause } from '../abortable.js';
import type { AgentLooks } from '../agents/agent-looks.js';
import { isStale } from '../agents/agent-waits.js';
import type { AgentWatch } from '../agents/agent-watch.js';
import type { Commands } from '../commands/commands.js';
import type { Processes } from '../processes/processes.js';
import { isGone } from '../screens.js';
import type { Terminals } from '../terminals.js';
import { within } from '../waits/scope.js';
import { AGENT_OCCURRENCES, type Happened, happenedInShell, happenedToAgent } from './occurrence.js';

export interface InboxOptions {
  terminals: Pick<Terminals, 'startOf'>;
  commands: Pick<Commands, 'follow' | 'shellStatus'>;
  processes: Pick<Processes, 'agents'>;
  agents: Pick<AgentWatch, 'until'>;
  looks: Pick<AgentLooks, 'look'>;
}

/** The kinds of occurrences that a call looks for, and the ids of occurrences that it knows already. */
export interface Wanted {
  until: readonly Occurrence[];
  seen: ReadonlySet<string>;
}

/** Finds occurrences in terminals: as of this moment, or the next. */
export class Inbox {
  readonly #options: InboxOptions;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /**
   * Returns what has happened in a terminal's shell, or to its program, by now; null if nothing can happen any more,
   * and undefined otherwise. Throws terminal-not-found.
   */
  inShell(id: string, { until, seen }: Wanted): Happened | null | undefined {
    const { exit } = this.#options.terminals.startOf(id);
    const { running, atPrompt, last } = this.#options.commands.shellStatus(id);
    // A command that runs while a shell is at its prompt has opened that shell, whose own commands count.
    const ended = running && !atPrompt ? null : last;
    const happened = happenedInShell(id, until, { exit, ended }, seen);
    return happened ?? (exit ? null : undefined);
  }

  /**
   * Resolves with the wanted occurrences among the present states of the agents in these terminals, by terminal. An
   * agent is left out if its screen cannot be read in time, or does not yet show the response to the last input.
   */
  async ofAgents(ids: ReadonlySet<string>, { until, seen }: Wanted): Promise<Map<string, Happened>> {
    const wanted = until.filter((event) => AGENT_OCCURRENCES.has(event));
    if (wanted.length === 0 || ids.size === 0) return new Map();
    const agents = await this.#options.processes.agents(ids);
    const looks = [...agents].map(async ([id, agent]) =>
      agent === null ? undefined : this.#look(id, agent),
    );
    const happened = (await Promise.all(looks)).filter((found) => found !== undefined);
    return new Map(
      happened
        .filter(({ id, event }) => wanted.includes(event) && !seen.has(id))
        .map((found) => [found.terminalId, found]),
    );
  }

  /**
   * Resolves once something wanted has happened, which may have been before the call; with null once nothing can happen
   * any more. Rejects with terminal-not-found, also if the terminal is closed meanwhile, and with the signal's reason.
   */
  async next(id: string, wanted: Wanted, signal: AbortSignal): Promise<Happened | null> {
    return within(signal, (inner) => {
      const agents = wanted.until.filter((event): event is AgentStatus => AGENT_OCCURRENCES.has(event));
      const ways = agents.map((status) => this.#nextOfAgent(id, status, wanted, inner));
      return Promise.race([this.#nextInShell(id, wanted, inner), ...ways]);
    });
  }

  #nextInShell(id: string, wanted: Wanted, signal: AbortSignal): Promise<Happened | null> {
    const now = this.inShell(id, wanted);
    if (now !== undefined) return Promise.resolve(now);
    return abortable(signal, (resolve, reject) =>
      this.#options.commands.follow(id, () => {
        try {
          const happened = this.inShell(id, wanted);
          if (happened !== undefined) resolve(happened);
        } catch (error) {
          reject(error);
        }
      }),
    );
  }

  async #nextOfAgent(
    id: string,
    status: AgentStatus,
    { seen }: Wanted,
    signal: AbortSignal,
  ): Promise<Happened> {
    for (;;) {
      const { agent } = await this.#state(id, status, signal);
      const happened = agent === null ? undefined : await this.#look(id, agent);
      if (happened?.event === status && !seen.has(happened.id)) return happened;
      await pause(AGENT_LOOK_MS, signal);
    }
  }

  /** Waits for the signal alone once the terminal is gone: the wait for its shell reports how it ended. */
  async #state(id: string, status: AgentStatus, signal: AbortSignal) {
    try {
      return await this.#options.agents.until(id, status, signal);
    } catch (error) {
      if (!isGone(error)) throw error;
      return abortable<never>(signal, () => () => undefined);
    }
  }

  /**
   * Looks at an agent. Returns undefined if its screen cannot be read in time or does not yet show the response to the
   * last input, and if its terminal is gone.
   */
  async #look(id: string, agent: string): Promise<Happened | undefined> {
    try {
      const seen = await this.#options.looks.look(id, agent);
      const { lastInput } = this.#options.terminals.startOf(id);
      if (isStale(seen.look.printedAt, lastInput?.hrMs ?? null)) return undefined;
      return happenedToAgent(id, agent, seen, lastInput?.at ?? null);
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  }
}
