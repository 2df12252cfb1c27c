import type { AgentState } from '../../contract/agent.js';
import { AGENT_QUIET_MS } from '../../contract/limits.js';
import type { AgentStatus } from '../../contract/wait.js';
import { hrMs } from '../../workers/clock.js';
import { abortable } from '../abortable.js';
import type { Glimpse } from './glimpse.js';
import { Steady } from './steady.js';

export interface Wait {
  /** Awaited status; undefined for any change. */
  status: AgentStatus | undefined;
  /** Number of the first look that counts: earlier looks may have begun before the wait. */
  from: number;
  /** Undefined until the first look that counts. */
  steady: Steady | undefined;
  resolve: (state: AgentState) => void;
  reject: (reason: unknown) => void;
}

/** Pending waits for agents to reach a status, or to change. */
export class AgentWaits {
  readonly #waits = new Map<string, Set<Wait>>();

  /** Ids of terminals with pending waits. */
  get ids(): ReadonlyMap<string, unknown> {
    return this.#waits;
  }

  get size(): number {
    return [...this.#waits.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Resolves once the status has held, or upon any change if none is given; rejects with the signal's reason. */
  add(id: string, status: AgentStatus | undefined, from: number, signal: AbortSignal): Promise<AgentState> {
    return abortable(signal, (resolve, reject) => {
      const wait: Wait = { status, from, steady: undefined, resolve, reject };
      const waits = this.#waits.get(id) ?? new Set();
      this.#waits.set(id, waits.add(wait));
      return () => {
        waits.delete(wait);
        if (waits.size === 0) this.#waits.delete(id);
      };
    });
  }

  /**
   * Passes the result of look number `look` to the waits for its terminal.
   *
   * @param typedAt - when something was last typed into the terminal, on the clock of `hrMs`
   */
  take(id: string, look: number, { state, printedAt }: Glimpse, typedAt: number | null): void {
    if (isStale(printedAt, typedAt)) return;
    for (const wait of this.#waits.get(id) ?? []) {
      if (look < wait.from) continue;
      if (!wait.steady && wait.status === undefined) {
        wait.steady = new Steady(state);
        continue;
      }
      wait.steady ??= new Steady(undefined);
      const told = wait.steady.take(state);
      if (told && (wait.status === undefined || told.agentStatus === wait.status)) wait.resolve(told);
    }
  }

  /** Returns the waits for any change of this agent that do not know its first state yet. */
  beginning(id: string): Wait[] {
    return [...(this.#waits.get(id) ?? [])].filter(({ status, steady }) => status === undefined && !steady);
  }

  /** Gives these waits their first state, from a look taken for this purpose. A stale screen is ignored, as in {@link take}. */
  begin(waits: readonly Wait[], { state, printedAt }: Glimpse, typedAt: number | null): void {
    if (isStale(printedAt, typedAt)) return;
    for (const wait of waits) wait.steady ??= new Steady(state);
  }

  /** Ends all waits for a terminal. */
  fail(id: string, reason: unknown): void {
    for (const wait of this.#waits.get(id) ?? []) wait.reject(reason);
  }
}

/** Returns whether a screen dates from before the last typing, so that it does not show the response to the typed text. */
export function isStale(printedAt: number, typedAt: number | null): boolean {
  return typedAt !== null && printedAt < typedAt && hrMs() - typedAt < AGENT_QUIET_MS;
}
