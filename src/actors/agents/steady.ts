import type { AgentState } from '../../contract/agent.js';

/**
 * Reports changes of an agent once they have held: a change must be seen in two looks in a row, since agents redraw
 * their screens many times a second and a look may fall between two frames. An agent that begins to wait for its user
 * is reported at once: nothing draws a question by chance, and the user is needed.
 */
export class Steady {
  #told: AgentState | undefined;
  #seen: AgentState | undefined;

  /** `told` is the state that is known already; undefined if none is. */
  constructor(told: AgentState | undefined) {
    this.#told = told;
  }

  /** The state that was reported last; undefined if none was. */
  get told(): AgentState | undefined {
    return this.#told;
  }

  /** Takes the state that the next look has seen; returns it if it has to be reported now. */
  take(state: AgentState): AgentState | undefined {
    const before = this.#seen;
    this.#seen = state;
    if (isSame(state, this.#told)) return undefined;
    if (state.agentStatus !== 'waiting' && !isSame(state, before)) return undefined;
    this.#told = state;
    return state;
  }
}

/** Compares states without their reasons: another reason for the same status is no change. */
export function isSame(state: AgentState, other: AgentState | undefined): boolean {
  return other !== undefined && state.agent === other.agent && state.agentStatus === other.agentStatus;
}
