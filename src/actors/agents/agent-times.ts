import type { AgentState } from '../../contract/agent.js';
import { isSame } from './steady.js';

/**
 * Remembers since when each agent has been in its state. Only changes that were seen count: the state that an agent had
 * when the looks began may have begun at any time before.
 */
export class AgentTimes {
  /** Terminals that ran when the looks began, and have not been looked at yet; undefined while there are no looks. */
  #unseen: Set<string> | undefined;
  /** States of agents at the first look, each until a state of that agent is reported to followers. */
  readonly #found = new Map<string, AgentState>();
  readonly #told = new Map<string, { state: AgentState; since: number | null }>();

  /** Call before each round of looks, with the terminals that run. */
  begin(ids: Iterable<string>): void {
    this.#unseen ??= new Set(ids);
  }

  /** Notes the state that a look at a terminal has seen. */
  looked(id: string, state: AgentState): void {
    if (this.#unseen?.delete(id)) this.#found.set(id, state);
  }

  /**
   * Notes a state that followers are notified of. Returns since when the agent is in it, in epoch milliseconds; null if
   * unknown.
   */
  told(id: string, state: AgentState): number | null {
    const before = this.#told.get(id);
    if (before && isSame(before.state, state)) return before.since;
    const found = this.#found.get(id);
    const since = found && isSame(found, state) ? null : Date.now();
    this.#found.delete(id);
    this.#told.set(id, { state, since });
    return since;
  }

  /** Returns since when the agent is in this state, in epoch milliseconds; null if unknown. */
  since(id: string, state: AgentState): number | null {
    const told = this.#told.get(id);
    return told && isSame(told.state, state) ? told.since : null;
  }

  forget(id: string): void {
    this.#unseen?.delete(id);
    this.#found.delete(id);
    this.#told.delete(id);
  }

  /** Forgets everything, since the looks end: from now on changes are missed. */
  clear(): void {
    this.#unseen = undefined;
    this.#found.clear();
    this.#told.clear();
  }
}
