import { type AgentExplanation, type AgentState, NO_AGENT } from '../../contract/agent.js';
import { DomainError } from '../../contract/errors.js';
import { AGENT_LOOK_DEADLINE_MS } from '../../contract/limits.js';
import type { TerminalSize } from '../../contract/terminal.js';
import { hrMs } from '../../workers/clock.js';
import type { ScreenStatus } from '../../workers/shard/screen-status.js';
import type { Screens } from '../screens.js';
import { decide, holding, type Verdict } from './agent-status.js';
import type { Glimpse } from './glimpse.js';
import { isKnownAgent } from './known/all.js';
import type { RuleBook } from './rule-book.js';

export interface AgentLooksOptions {
  screens: Pick<Screens, 'look'>;
  /** Returns the size of a running terminal; throws terminal-not-found. */
  size: (id: string) => TerminalSize;
  /**
   * Returns the position in a terminal's output at which its foreground program was started, as far as that is known; 0
   * for the terminal's own program.
   */
  programStart: (id: string) => number;
  /** Returns whether a terminal is known to hand out its input line by line. */
  takesLines: (id: string) => boolean;
  rules: RuleBook;
}

/** A look at an agent's screen, and its verdict. */
export interface Seen {
  look: ScreenStatus;
  verdict: Verdict;
}

/** Looks at the screens of agents, and reports the states of the agents. */
export class AgentLooks {
  readonly #options: AgentLooksOptions;

  constructor(options: AgentLooksOptions) {
    this.#options = options;
  }

  /**
   * Looks at an agent. Rejects with terminal-not-found, and with `unavailable` when its screen cannot be read in time.
   */
  async look(id: string, agent: string): Promise<Seen> {
    const { screens, size, programStart, takesLines, rules } = this.#options;
    const look = await screens.look(id, AGENT_LOOK_DEADLINE_MS);
    const sight = {
      ...look,
      hasPrinted: look.position > programStart(id),
      // An agent of the settings may read lines.
      takesLines: () => isKnownAgent(agent) && takesLines(id),
    };
    return { look, verdict: decide(sight, rules.rulesFor(agent), size(id).cols) };
  }

  /**
   * Returns the state of each of these agents by terminal id; the status is null if the screen cannot be read in time.
   */
  async states(agents: ReadonlyMap<string, string>): Promise<Map<string, AgentState>> {
    const states = [...agents].map(async ([id, agent]): Promise<[string, AgentState]> => {
      const state = await this.look(id, agent).then(
        ({ verdict }) => stateOf(agent, verdict),
        (error: unknown) => unseen(agent, error),
      );
      return [id, state];
    });
    return new Map(await Promise.all(states));
  }

  /** Returns the state of an agent and the time of its last output. Rejects as {@link look} does. */
  async glimpse(id: string, agent: string | null): Promise<Glimpse> {
    if (agent === null) return { state: NO_AGENT, printedAt: hrMs() };
    const { look, verdict } = await this.look(id, agent);
    return { state: stateOf(agent, verdict), printedAt: look.printedAt };
  }

  /** Returns the state of an agent, with everything that decided it. Rejects as {@link look} does. */
  async explain(id: string, agent: string): Promise<AgentExplanation> {
    const { look, verdict } = await this.look(id, agent);
    const rules = this.#options.rules.rulesFor(agent);
    const holds = holding(look, rules, this.#options.size(id).cols);
    return {
      ...stateOf(agent, verdict),
      rule: verdict.rule ? shown(verdict.rule) : null,
      row: verdict.row,
      line: verdict.line,
      title: look.title,
      quietMs: Math.round(look.quietMs),
      rules: rules.map((rule, index) => ({ ...shown(rule), holds: holds[index] ?? false })),
    };
  }
}

/**
 * Returns an unknown status for a shard that hangs or a terminal that is gone, so that the list of all agents still
 * succeeds.
 */
function unseen(agent: string, error: unknown): AgentState {
  if (!(error instanceof DomainError)) throw error;
  return { agent, agentStatus: null, agentStatusReason: 'its screen could not be read in time' };
}

export function stateOf(agent: string, { status, reason }: Verdict): AgentState {
  return { agent, agentStatus: status, agentStatusReason: reason };
}

function shown({ source, status, where, rows, text, reason }: NonNullable<Verdict['rule']>) {
  return { source, status, where, rows, text: String(text), reason };
}
