import type { AgentState } from '../../contract/agent.js';

/**
 * Tells changes of an agent once they have held: a change must be seen in two looks in a row. Agents redraw their
 * screens many times a second, and a look may meet one between two frames. An agent that has begun to wait for its
 * user is told at once: nothing draws a question by chance, and somebody is needed.
 */
export class Steady {
  #told: AgentState | undefined;
  #seen: AgentState | undefined;

  /** `told` is what is known already; undefined where nothing is. */
  constructor(told: AgentState | undefined) {
    this.#told = told;
  }

  /** Takes what the next look has seen; gives it where it is to be told now. */
  take(state: AgentState): AgentState | undefined {
    const before = this.#seen;
    this.#seen = state;
    if (isSame(state, this.#told)) return undefined;
    if (state.agentStatus !== 'waiting' && !isSame(state, before)) return undefined;
    this.#told = state;
    return state;
  }
}

/** Another reason for the same is no change. */
function isSame(state: AgentState, other: AgentState | undefined): boolean {
  return other !== undefined && state.agent === other.agent && state.agentStatus === other.agentStatus;
}
