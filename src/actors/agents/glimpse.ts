import type { AgentState } from '../../contract/agent.js';

/** What an agent did when its screen was read. */
export interface Glimpse {
  state: AgentState;
  /** When the last output before that came, as `hrMs` tells it. */
  printedAt: number;
}
