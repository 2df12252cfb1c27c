import { NO_AGENT } from '../../contract/agent.js';
import { DomainError } from '../../contract/errors.js';
import { AGENT_QUIET_MS, MAX_WAIT_MS } from '../../contract/limits.js';
import { hrMs } from '../../workers/clock.js';
import type { Screens } from '../screens.js';
import { type AgentLooks, stateOf } from './agent-looks.js';
import type { Glimpse } from './glimpse.js';

export interface AgentViewOptions {
  looks: Pick<AgentLooks, 'look'>;
  screens: Pick<Screens, 'until'>;
  /** Returns the current settings, as another object after each change; then everything is looked at again. */
  settings: () => unknown;
}

/** A glimpse of a quiet agent. It holds until the agent prints or the settings change. */
interface Rest extends Glimpse {
  settings: unknown;
  /** Aborts the wait for output. */
  waiting: AbortController;
}

/**
 * Reports the state of the agent of one terminal, as often as asked. Looks at the screen only when that can show
 * anything new: a quiet agent is not looked at until it prints.
 */
export class AgentView {
  readonly #id: string;
  readonly #options: AgentViewOptions;
  #rest: Rest | undefined;
  #isClosed = false;

  constructor(id: string, options: AgentViewOptions) {
    this.#id = id;
    this.#options = options;
  }

  /** Returns the present state of the agent; undefined when its screen cannot be read in time, or the view is closed. */
  async look(agent: string | null): Promise<Glimpse | undefined> {
    const { looks, settings } = this.#options;
    if (agent === null) {
      this.#wake();
      return { state: NO_AGENT, printedAt: hrMs() };
    }
    const current = settings();
    const rest = this.#rest;
    if (rest && rest.settings === current && rest.state.agent === agent) return rest;
    this.#wake();
    const seen = await looks.look(this.#id, agent).catch(unlessFault);
    if (!seen || this.#isClosed) return undefined;
    const { printedAt, quietMs, position } = seen.look;
    const glimpse = { state: stateOf(agent, seen.verdict), printedAt };
    // An agent of unknown status may come to read keys without printing anything.
    const isSettled = quietMs >= AGENT_QUIET_MS && seen.verdict.status !== null;
    if (isSettled) this.#restAt(glimpse, current, position);
    return glimpse;
  }

  /** Stops looking and waiting. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  #restAt(glimpse: Glimpse, settings: unknown, position: number): void {
    const rest = { ...glimpse, settings, waiting: new AbortController() };
    this.#rest = rest;
    const wake = () => {
      if (this.#rest === rest) this.#wake();
    };
    const { screens } = this.#options;
    screens
      .until(this.#id, { kind: 'output', after: position }, MAX_WAIT_MS, rest.waiting.signal)
      // However the wait ends (output, the death of its shard, its deadline), the screen needs another look.
      .then(wake, wake);
  }

  #wake(): void {
    this.#rest?.waiting.abort(new DomainError('unavailable'));
    this.#rest = undefined;
  }
}

/** Ignores that a shard hangs or was replaced, or that a terminal is gone: the next look finds out. */
function unlessFault(error: unknown): undefined {
  if (!(error instanceof DomainError)) throw error;
}
