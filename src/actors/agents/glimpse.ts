import type { AgentState } from '../../contract/agent.js';

/** State of an agent when its screen was read. */
export interface Glimpse {
  state: AgentState;
  /** When the last output before that came, on the clock of `hrMs`. */
  printedAt: number;
}
