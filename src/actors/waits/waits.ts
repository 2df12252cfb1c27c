import type { AgentState } from '../../contract/agent.js';
import type { Integration } from '../../contract/command.js';
import { DomainError } from '../../contract/errors.js';
import { ASK_NOW_MS, MAX_REGEX_WAITS } from '../../contract/limits.js';
import type { AgentStatus, WaitAnswer, WaitBody } from '../../contract/wait.js';
import type { ReadPage } from '../../workers/shard/protocol.js';
import { isGone, type Screens } from '../screens.js';
import { untilCommand } from './command-wait.js';
import type { Outcome } from './outcome.js';
import { Patterns } from './patterns.js';
import { type QuietNowParts, untilIdle } from './quiet.js';
import { Scope } from './scope.js';
import { retryAcrossShardRestart } from './shard-restart.js';
import type { ShellParts } from './shell-rest.js';
import { untilGone } from './shell-watch.js';
import { untilMatch, untilText } from './text-wait.js';
import { WaitLimit } from './wait-limit.js';

/** Reports the state of coding agents, and waits for changes of it. */
interface AgentWaits {
  /** Resolves with the state of the agent at this moment. Rejects with terminal-not-found. */
  state(id: string): Promise<AgentState>;

  /**
   * Resolves once the agent in the terminal has this status, or with any change when no status is given. Rejects with
   * terminal-not-found, also when the terminal exits or is removed, and with the signal's reason.
   */
  until(id: string, status: AgentStatus | undefined, signal: AbortSignal): Promise<AgentState>;
}

export interface WaitsOptions extends ShellParts, Pick<QuietNowParts, 'foreground'> {
  screens: Pick<Screens, 'until' | 'look' | 'place' | 'output' | 'rangeText'>;
  agents: AgentWaits;
  /** A pool of one thread that nothing else uses, for regular expressions. */
  jobs: ConstructorParameters<typeof Patterns>[0];
  /** Shared with everything else that waits. */
  places: WaitLimit;
}

type Started = ReturnType<WaitsOptions['terminals']['startOf']>;

/** Long polls, which wait until a condition holds in a terminal. */
export class Waits {
  readonly #options: WaitsOptions;
  readonly #patterns: Patterns;
  readonly #regexes = new WaitLimit(MAX_REGEX_WAITS);

  constructor(options: WaitsOptions) {
    this.#options = options;
    this.#patterns = new Patterns(options.jobs);
  }

  /**
   * Resolves once the condition holds, when the time is up, or when the terminal's program has exited; the answer has
   * the output printed meanwhile. Rejects with terminal-not-found (also if the terminal is closed meanwhile),
   * invalid-cursor, invalid-request for an invalid regular expression, `unavailable` when too many wait, and the reason
   * of `client`.
   */
  async wait(id: string, body: WaitBody, client: AbortSignal): Promise<WaitAnswer> {
    if (body.regex !== undefined) this.#patterns.check(body.regex);
    const { commands, terminals } = this.#options;
    const { integration } = commands.shellStatus(id);
    // Its exit stays readable here when the registry drops the terminal: with `keepExitedMs` 0 it does so at the exit.
    const terminal = terminals.startOf(id);
    return this.#options.places.hold(1, async () => {
      const scope = new Scope(timeOf(body, integration), client);
      try {
        return await this.#wait(terminal, body, scope);
      } finally {
        scope.end();
      }
    });
  }

  async #wait(terminal: Started, body: WaitBody, scope: Scope): Promise<WaitAnswer> {
    const { commands } = this.#options;
    const { id } = terminal;
    const since = await this.#cursorOf(id, body.since, scope.signal);
    let outcome: Outcome = { done: false, reason: 'timeout' };
    const work = this.#until(terminal, body, since, scope).then((result) => {
      outcome = result;
    });
    await scope.race(work);
    // The shard answers in order: once this has been read, the wait has examined everything that was there when the
    // time was up.
    const page = await this.#printed(id, since, body.maxBytes, scope.signal);
    const integration = this.#find(() => commands.shellStatus(id).integration) ?? 'none';
    return { ...outcome, ...page, integration };
  }

  /** Resolves with the outcome of the wait, or with the exit of the terminal's program. */
  async #until(terminal: Started, body: WaitBody, since: string, scope: Scope): Promise<Outcome> {
    try {
      const outcome = await this.#met(terminal, body, since, scope);
      // A question about the present state: nothing can change it any more.
      const isOver = outcome.reason === 'timeout' && terminal.exit !== null;
      return isOver ? this.#exited(terminal, false) : outcome;
    } catch (error) {
      if (!isGone(error)) throw error;
      return this.#exited(terminal, body.until === 'exit');
    }
  }

  async #met(terminal: Started, body: WaitBody, from: string, scope: Scope): Promise<Outcome> {
    const { id } = terminal;
    const { until, idleMs, since, text, regex } = body;
    const isNow = body.timeoutMs === 0;
    const parts = { patterns: this.#patterns, ...this.#options };
    switch (until) {
      case 'exit':
        await untilGone(this.#options.commands, id, scope.signal);
        return this.#exited(terminal, true);
      case 'command':
      case 'prompt':
        return untilCommand(parts, id, { until, idleMs, since, isNow }, scope);
      case 'idle':
        await untilIdle(parts, id, idleMs, scope);
        return { done: true, reason: until };
      case 'agent':
        return this.#agent(id, body, scope);
      case 'text':
        if (text !== undefined) return untilText(parts, id, text, { since, from, echo: body.echo }, scope);
        return this.#regexes.hold(1, () =>
          untilMatch(parts, id, { pattern: regex ?? '', since, from, echo: body.echo, isNow }, scope),
        );
    }
  }

  /** Only what the agent does after the request can end the wait. A timeout of 0 asks for its present state instead. */
  async #agent(id: string, { agentStatus, timeoutMs }: WaitBody, { signal }: Scope): Promise<Outcome> {
    const { agents } = this.#options;
    if (timeoutMs > 0) {
      const state = await agents.until(id, agentStatus, signal);
      return { done: true, reason: 'agent', agentStatus: state.agentStatus };
    }
    const now = (await agents.state(id)).agentStatus;
    const done = agentStatus !== undefined && now === agentStatus;
    return { done, reason: done ? 'agent' : 'timeout', agentStatus: now };
  }

  /** Throws terminal-not-found for a terminal that was closed, unless the wait was for its exit. */
  #exited({ id, exit }: Started, done: boolean): Outcome {
    if (!exit && !done) this.#options.terminals.startOf(id);
    return { done, reason: 'exit', exitCode: exit?.exitCode ?? null };
  }

  /**
   * Resolves with the cursor where reading begins: `since`, or the present position without it. Rejects with
   * invalid-cursor if `since` is not a cursor of this terminal.
   */
  async #cursorOf(id: string, since: string | undefined, signal: AbortSignal): Promise<string> {
    const { screens } = this.#options;
    if (since === undefined) return (await retryAcrossShardRestart(signal, () => screens.place(id))).cursor;
    const nothing = { start: since, end: since, raw: true, maxBytes: 0 };
    await retryAcrossShardRestart(signal, () => screens.rangeText(id, nothing));
    return since;
  }

  /** Reads the lines printed since the cursor; none are left of a terminal that was closed. */
  async #printed(id: string, since: string, maxBytes: number, signal: AbortSignal) {
    const { screens } = this.#options;
    const ask = () => screens.output(id, { since, offset: 0, maxBytes, asLines: true });
    const gone = (error: unknown): ReadPage => {
      if (!isGone(error)) throw error;
      return { totalLines: 0, offset: 0, raw: '' };
    };
    const {
      cursor = since,
      raw,
      gap = false,
      truncated = false,
    } = await retryAcrossShardRestart(signal, ask).catch(gone);
    return { cursor, raw, truncated: gap || truncated };
  }

  /** Returns the result of `ask`; undefined if the terminal has gone. */
  #find<T>(ask: () => T): T | undefined {
    try {
      return ask();
    } catch (error) {
      if (error instanceof DomainError && isGone(error)) return undefined;
      throw error;
    }
  }
}

/**
 * Returns the time limit in milliseconds. A request for the present state (`timeoutMs` 0) gets ASK_NOW_MS if it needs a
 * look at the processes or a regular expression, since both take time.
 */
function timeOf({ until, regex, timeoutMs }: WaitBody, integration: Integration): number {
  const isTold = integration !== 'none' && until !== 'agent';
  const looksAtProcesses = until === 'agent' || until === 'command' || until === 'prompt';
  const takesTime = (looksAtProcesses && !isTold) || (until === 'text' && regex !== undefined);
  return timeoutMs === 0 && takesTime ? ASK_NOW_MS : timeoutMs;
}
