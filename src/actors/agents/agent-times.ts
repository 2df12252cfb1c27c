import type { AgentState } from '../../contract/agent.js';
import { isSame } from './steady.js';

/**
 * Since when agents do what they do. Only changes that were seen count: what an agent did when the looks began may have
 * begun at any time before.
 */
export class AgentTimes {
  /** Terminals that ran when the looks began, and were not looked at yet; undefined while there are no looks. */
  #unseen: Set<string> | undefined;
  /** What agents did at the first look, until something else is told. */
  readonly #found = new Map<string, AgentState>();
  readonly #told = new Map<string, { state: AgentState; since: number | null }>();

  /** Call before each round of looks, with the terminals that run. */
  begin(ids: Iterable<string>): void {
    this.#unseen ??= new Set(ids);
  }

  /** A look at a terminal has seen this. */
  looked(id: string, state: AgentState): void {
    if (this.#unseen?.delete(id)) this.#found.set(id, state);
  }

  /** Followers are told that the agent does this now. Returns since when, in epoch milliseconds; null if it is not known. */
  told(id: string, state: AgentState): number | null {
    const before = this.#told.get(id);
    if (before && isSame(before.state, state)) return before.since;
    const found = this.#found.get(id);
    const since = found && isSame(found, state) ? null : Date.now();
    this.#found.delete(id);
    this.#told.set(id, { state, since });
    return since;
  }

  /** Returns since when the agent does this, in epoch milliseconds; null if it is not known. */
  since(id: string, state: AgentState): number | null {
    const told = this.#told.get(id);
    return told && isSame(told.state, state) ? told.since : null;
  }

  forget(id: string): void {
    this.#unseen?.delete(id);
    this.#found.delete(id);
    this.#told.delete(id);
  }

  /** The looks end: from now on changes are missed. */
  clear(): void {
    this.#unseen = undefined;
    this.#found.clear();
    this.#told.clear();
  }
}
