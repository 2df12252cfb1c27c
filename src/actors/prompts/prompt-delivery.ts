import { DomainError } from '../../contract/errors.js';
import { AGENT_QUIET_MS, MAX_WAIT_MS } from '../../contract/limits.js';
import type { InputPart } from '../../contract/terminal.js';
import { hrMs } from '../../workers/clock.js';
import { abortable } from '../abortable.js';
import type { AgentLooks } from '../agents/agent-looks.js';
import type { AgentWatch } from '../agents/agent-watch.js';
import type { EngineEvent } from '../events.js';
import type { Hold } from '../input-gate/hold.js';
import type { Screens } from '../screens.js';
import type { Terminals } from '../terminals.js';
import { dropsLine } from '../typing.js';
import type { LeftDrafts } from '../waits/left-drafts.js';
import { Scope, within } from '../waits/scope.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import { isAtRest, type ShellParts, type ShellState, shellState, untilShell } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import type { Delivery, Into, TypedPrompt } from './delivery.js';
import type { KeptPrompt } from './kept-prompt.js';
import { LaterDrop } from './later-drop.js';
import { AgentReaction, ShellReaction, type TypedKeys } from './reactions.js';

export interface PromptDeliveryParts extends ShellParts {
  terminals: ShellParts['terminals'] & Pick<Terminals, 'subscribe' | 'enter' | 'type'>;
  screens: ShellParts['screens'] & Pick<Screens, 'until' | 'place'>;
  agents: Pick<AgentWatch, 'until' | 'glimpse' | 'state'>;
  looks: Pick<AgentLooks, 'look'>;
  leftDrafts: Pick<LeftDrafts, 'assume'>;
  /** Returns the keystrokes that type a prompt and submit it. Throws unknown-cli-type. */
  keystrokes: (
    prompt: string,
    into: Into,
    how: { cliType: string | null; bracketed: boolean },
  ) => InputPart[];
}

/** Types prompts into agents and shells through the input gate. */
export class PromptDelivery implements Delivery {
  readonly #parts: PromptDeliveryParts;
  readonly #listeners = new Set<(event: EngineEvent) => void>();

  constructor(parts: PromptDeliveryParts) {
    this.#parts = parts;
    parts.terminals.subscribe((event) => {
      for (const listener of [...this.#listeners]) listener(event);
    });
  }

  async ready(terminalId: string, when: KeptPrompt['when'], signal: AbortSignal): Promise<Into> {
    const agent = (inner: AbortSignal) => this.#untilIdle(terminalId, inner);
    const shell = (inner: AbortSignal) => this.#untilAtPrompt(terminalId, inner);
    if (when === 'agent-idle') return agent(signal);
    if (when === 'command-end') return shell(signal);
    return within(signal, (inner) => Promise.race([agent(inner), shell(inner)]));
  }

  enter(terminalId: string, into: Into, { by, request }: KeptPrompt, signal: AbortSignal): Promise<Hold> {
    return this.#parts.terminals.enter(terminalId, 'api', {
      ...{ who: () => by, request: request ?? undefined, whenBusy: 'queue', queueMs: MAX_WAIT_MS, signal },
      ...(into === 'agent' && { ifAgent: ['idle'] }),
    });
  }

  isStillReady(terminalId: string, into: Into): boolean {
    return into === 'agent' || this.#isFree(terminalId, shellState(this.#parts, terminalId));
  }

  async type(
    terminalId: string,
    into: Into,
    id: string,
    record: KeptPrompt,
    hold: Hold,
  ): Promise<TypedPrompt> {
    const { terminals, leftDrafts, keystrokes } = this.#parts;
    const { by, request, prompt, cliType } = record;
    const bracketed = into === 'agent' || (await this.#takesPastes(terminalId));
    const keys = keystrokes(prompt, into, { cliType, bracketed });
    const listen = (listener: (event: EngineEvent) => void) => this.#listen(listener);
    const reaction = await this.#reaction(into, { terminalId, prompt, keys, listen });
    const drop = new LaterDrop({ terminalId, keys, listen });
    const close = () => {
      reaction.close();
      drop.close();
    };
    const ask = {
      ...{ who: () => by, request: request ?? undefined, whenBusy: 'refuse' as const, hold },
      ...(into === 'agent' && { ifAgent: ['idle' as const] }),
    };
    try {
      const isRepeated = await terminals.type(terminalId, keys, 'api', { once: `prompt-${id}`, ask });
      // A repeated request whose prompt was forgotten: nothing was typed now.
      if (isRepeated) throw new DomainError('outcome-unknown');
    } catch (error) {
      close();
      throw error;
    }
    return {
      outcome: async (signal) => {
        const outcome = await reaction.outcome(signal).finally(close);
        const { isDropped } = drop;
        if (into === 'shell' && outcome.state === 'unknown' && !isDropped) leftDrafts.assume(terminalId);
        return { ...outcome, isDropped };
      },
    };
  }

  async untilCleared(terminalId: string, signal: AbortSignal): Promise<void> {
    const { agents } = this.#parts;
    await within(signal, (inner) =>
      Promise.race([
        agents.until(terminalId, 'working', inner),
        this.#untilAtPrompt(terminalId, inner),
        this.#untilTyped(terminalId, inner, dropsLine),
      ]),
    );
  }

  /** Prepares to observe the reaction to a prompt. Throws no-agent. */
  async #reaction(into: Into, typed: TypedKeys): Promise<AgentReaction | ShellReaction> {
    if (into === 'shell') return new ShellReaction(this.#parts, typed);
    const { agent } = await this.#parts.agents.state(typed.terminalId);
    if (agent === null) throw new DomainError('no-agent');
    return new AgentReaction(this.#parts, agent, typed);
  }

  async #untilIdle(terminalId: string, signal: AbortSignal): Promise<Into> {
    const { agents } = this.#parts;
    const { state, printedAt } = await retryAcrossShardRestart(signal, () => agents.glimpse(terminalId));
    const { submittedAt = Number.NEGATIVE_INFINITY } = this.#parts.terminals.startOf(terminalId);
    const quietSince = Math.max(printedAt, submittedAt);
    // One look is enough for an agent that has been quiet for so long.
    const isSteady = state.agentStatus === 'idle' && hrMs() - quietSince >= AGENT_QUIET_MS;
    if (!isSteady) await agents.until(terminalId, 'idle', signal);
    return 'agent';
  }

  async #untilAtPrompt(terminalId: string, signal: AbortSignal): Promise<Into> {
    for (;;) {
      // A half-typed line may be dropped by a key that its shell does not report.
      const isReady = await within(signal, (inner) =>
        Promise.race([
          this.#untilFree(terminalId, inner),
          this.#untilTyped(terminalId, inner).then(() => false),
          this.#parts.submissions.untilForgotten(terminalId, inner).then(() => false),
        ]),
      );
      if (isReady) return 'shell';
    }
  }

  /** Resolves with true once the shell is free, with false if it is worth another look. */
  async #untilFree(terminalId: string, signal: AbortSignal): Promise<boolean> {
    const watch = new ShellWatch(this.#parts.commands, terminalId, signal);
    const scope = new Scope(MAX_WAIT_MS, signal);
    let isFree = false;
    const wait = async () => {
      const isSo = (state: ShellState) => this.#isFree(terminalId, state);
      isFree = (await untilShell(this.#parts, terminalId, watch, isSo, scope)) !== undefined;
      // A shell that reports nothing may be left for a shell that reports.
      if (!isFree) await watch.changed();
    };
    try {
      await scope.race(wait());
      return isFree;
    } finally {
      scope.end();
      watch.close();
    }
  }

  #isFree(terminalId: string, state: ShellState): boolean {
    if (state.integration === 'none' || state.isContinued || !isAtRest(state)) return false;
    return !this.#parts.submissions.hasDraft(terminalId);
  }

  async #takesPastes(terminalId: string): Promise<boolean> {
    const { signal } = new AbortController();
    const { modes } = await retryAcrossShardRestart(signal, () => this.#parts.screens.place(terminalId));
    return modes.bracketedPaste;
  }

  /** Resolves once input that `isIt` accepts is typed into the terminal. */
  #untilTyped(
    terminalId: string,
    signal: AbortSignal,
    isIt: (parts: readonly InputPart[]) => boolean = () => true,
  ): Promise<void> {
    return abortable(signal, (resolve) =>
      this.#listen((event) => {
        if (event.type === 'typed' && event.id === terminalId && isIt(event.parts)) resolve();
      }),
    );
  }

  #listen(listener: (event: EngineEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
