import { MAX_WAIT_MS, PROMPT_ECHO_MS, PROMPT_LOOK_MS, PROMPT_VERIFY_MS } from '../../contract/limits.js';
import type { InputPart } from '../../contract/terminal.js';
import { hrMs } from '../../workers/clock.js';
import { abortable, pause } from '../abortable.js';
import type { AgentLooks } from '../agents/agent-looks.js';
import type { Verdict } from '../agents/agent-status.js';
import type { AgentWatch } from '../agents/agent-watch.js';
import type { Commands } from '../commands/commands.js';
import type { EngineEvent } from '../events.js';
import type { Screens } from '../screens.js';
import { within } from '../waits/scope.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import type { Outcome } from './delivery.js';

/** The keys of a prompt, and where its effect is to be seen. */
export interface TypedKeys {
  terminalId: string;
  prompt: string;
  keys: InputPart[];
  /** Passes events of terminals to the listener until the answer is called. */
  listen: (listener: (event: EngineEvent) => void) => () => void;
}

const UNKNOWN: Outcome = { state: 'unknown', reason: 'not-told' };
const STALLED: Outcome = { state: 'stalled', reason: 'no-reaction' };

/** Follows when the last key of a prompt is written. */
class Written {
  #at: number | undefined;
  #tell: (at: number) => void = () => undefined;
  readonly #stop: () => void;

  /** Create it before the keys are typed. */
  constructor({ terminalId, keys, listen }: TypedKeys) {
    this.#stop = listen((event) => {
      // Compares the array itself: others may type the same text.
      if (event.type !== 'written' || event.id !== terminalId || event.parts !== keys) return;
      this.#at = hrMs();
      this.#tell(this.#at);
    });
  }

  /** Resolves with the time on the clock of `hrMs`; undefined if the program does not take the keys in time. */
  at(signal: AbortSignal): Promise<number | undefined> {
    if (this.#at !== undefined) return Promise.resolve(this.#at);
    return abortable<number | undefined>(signal, (resolve) => {
      this.#tell = resolve;
      const timer = setTimeout(() => resolve(undefined), PROMPT_VERIFY_MS);
      return () => clearTimeout(timer);
    });
  }

  close(): void {
    this.#stop();
  }
}

interface AgentParts {
  agents: Pick<AgentWatch, 'state'>;
  looks: Pick<AgentLooks, 'look'>;
  screens: Pick<Screens, 'until'>;
}

/** Reaction of an idle agent to a typed prompt. */
export class AgentReaction {
  readonly #parts: AgentParts;
  readonly #id: string;
  readonly #agent: string;
  readonly #written: Written;

  /** Create it before the keys are typed, and close it. */
  constructor(parts: AgentParts, agent: string, typed: TypedKeys) {
    this.#parts = parts;
    this.#id = typed.terminalId;
    this.#agent = agent;
    this.#written = new Written(typed);
  }

  /** Looks at the agent as often as it prints. Rejects with terminal-not-found, unavailable, and the signal's reason. */
  async outcome(signal: AbortSignal): Promise<Outcome> {
    const writtenAt = await this.#written.at(signal);
    if (writtenAt === undefined) return STALLED;
    const { agents, looks } = this.#parts;
    for (;;) {
      const seen = await this.#ask(signal, () => looks.look(this.#id, this.#agent));
      const { position, printedAt } = seen.look;
      if (hasBegun(seen.verdict, printedAt - writtenAt)) return { state: 'submitted' };
      const leftMs = writtenAt + PROMPT_VERIFY_MS - hrMs();
      if (leftMs <= 0) {
        const { agent } = await this.#ask(signal, () => agents.state(this.#id));
        if (agent !== this.#agent) return { state: 'unknown', reason: 'agent-gone' };
        return withoutReaction(seen.verdict, printedAt - writtenAt);
      }
      await within(signal, (inner) =>
        Promise.race([this.#untilOutput(position, inner), pause(leftMs, inner)]),
      );
      await pause(PROMPT_LOOK_MS, signal);
    }
  }

  close(): void {
    this.#written.close();
  }

  async #untilOutput(position: number, signal: AbortSignal): Promise<void> {
    const awaited = { kind: 'output', after: position } as const;
    await this.#ask(signal, () => this.#parts.screens.until(this.#id, awaited, MAX_WAIT_MS, signal));
  }

  #ask<Answer>(signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
    return retryAcrossShardRestart(signal, ask);
  }
}

/**
 * Returns whether a look shows that an agent that was idle has got the prompt: it works, or asks something.
 *
 * @param printedAfterMs - when the agent printed last, in milliseconds after the last key was written
 */
export function hasBegun(
  { status, rule }: Pick<Verdict, 'status' | 'rule'>,
  printedAfterMs: number,
): boolean {
  // Without a rule, output counts as work, and so does the echo of the prompt.
  const isEcho = rule === undefined && printedAfterMs <= PROMPT_ECHO_MS;
  return status === 'waiting' || (status === 'working' && !isEcho);
}

/** Returns the outcome of a prompt for which the agent was not seen to begin in time; see {@link hasBegun}. */
export function withoutReaction({ rule }: Pick<Verdict, 'rule'>, printedAfterMs: number): Outcome {
  // Without a rule, output is the only evidence of work, and a short answer looks like an echo.
  return rule === undefined && printedAfterMs > 0 ? UNKNOWN : STALLED;
}

/** Reaction of a shell to a typed prompt: whether it begins the command. */
export class ShellReaction {
  readonly #written: Written;
  readonly #unfollow: () => void;
  #hasBegun = false;
  #tell = () => {};

  /** Create it before the keys are typed, and close it. */
  constructor({ commands }: { commands: Pick<Commands, 'follow'> }, typed: TypedKeys) {
    this.#written = new Written(typed);
    this.#unfollow = commands.follow(typed.terminalId, (change) => {
      if (change.kind !== 'started' || !isOf(typed.prompt, change.command.commandLine)) return;
      this.#hasBegun = true;
      this.#tell();
    });
  }

  /** Rejects with the signal's reason. */
  async outcome(signal: AbortSignal): Promise<Outcome> {
    const begun = (inner: AbortSignal) =>
      abortable<void>(inner, (resolve) => {
        this.#tell = resolve;
        return () => undefined;
      });
    const late = (inner: AbortSignal) => this.#written.at(inner).then(() => pause(PROMPT_VERIFY_MS, inner));
    if (!this.#hasBegun) await within(signal, (inner) => Promise.race([begun(inner), late(inner)]));
    return this.#hasBegun ? { state: 'submitted' } : UNKNOWN;
  }

  close(): void {
    this.#written.close();
    this.#unfollow();
  }
}

/** Whether a command line is the first of a prompt: a shell may change blanks and separators, and join lines. */
function isOf(prompt: string, commandLine: string): boolean {
  const bare = (line: string) => line.replace(/[\s;]+/g, '');
  return bare(commandLine) !== '' && bare(prompt).startsWith(bare(commandLine));
}
