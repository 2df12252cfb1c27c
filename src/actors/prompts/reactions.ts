import type { AgentExplanation } from '../../contract/agent.js';
import { MAX_WAIT_MS, PROMPT_ECHO_MS, PROMPT_LOOK_MS, PROMPT_VERIFY_MS } from '../../contract/limits.js';
import type { InputPart } from '../../contract/terminal.js';
import { hrMs } from '../../workers/clock.js';
import { abortable, pause } from '../abortable.js';
import type { AgentWatch } from '../agents/agent-watch.js';
import type { Commands } from '../commands/commands.js';
import type { EngineEvent } from '../events.js';
import type { Screens } from '../screens.js';
import { within } from '../waits/scope.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import type { Outcome } from './delivery.js';

/** The keys of a prompt, and where its effect is to be seen. */
interface TypedKeys {
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
      // The very keys: the same text may be typed by others, too.
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
  agents: Pick<AgentWatch, 'explain'>;
  screens: Pick<Screens, 'look' | 'until'>;
}

/** What an agent that was idle does once a prompt is typed. */
export class AgentReaction {
  readonly #parts: AgentParts;
  readonly #id: string;
  readonly #written: Written;

  /** Create it before the keys are typed, and close it. */
  constructor(parts: AgentParts, typed: TypedKeys) {
    this.#parts = parts;
    this.#id = typed.terminalId;
    this.#written = new Written(typed);
  }

  /** Looks at the agent as often as it prints. Rejects with terminal-not-found, unavailable, and the signal's reason. */
  async outcome(signal: AbortSignal): Promise<Outcome> {
    const writtenAt = await this.#written.at(signal);
    if (writtenAt === undefined) return STALLED;
    for (;;) {
      const { position } = await this.#ask(signal, () => this.#parts.screens.look(this.#id));
      const seen = await this.#ask(signal, () => this.#parts.agents.explain(this.#id));
      const printedAt = hrMs() - (seen.quietMs ?? Number.POSITIVE_INFINITY);
      const leftMs = writtenAt + PROMPT_VERIFY_MS - hrMs();
      const outcome = reactionIn(seen, printedAt - writtenAt, leftMs <= 0);
      if (outcome) return outcome;
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
 * Returns what a look says of the prompt; undefined if there is time for another.
 *
 * @param printedAfterMs - when the agent printed last, in milliseconds after the last key was written
 */
export function reactionIn(
  { agent, agentStatus, rule }: Pick<AgentExplanation, 'agent' | 'agentStatus' | 'rule'>,
  printedAfterMs: number,
  isLast: boolean,
): Outcome | undefined {
  if (agent === null) return { state: 'unknown', reason: 'agent-gone' };
  // It was idle before: whatever asks or works now has had the prompt.
  if (agentStatus === 'waiting') return { state: 'submitted' };
  const isEcho = rule === null && printedAfterMs <= PROMPT_ECHO_MS;
  if (agentStatus === 'working' && !isEcho) return { state: 'submitted' };
  if (!isLast) return undefined;
  // Without a rule only its output tells what it does, and a short answer looks like an echo.
  return rule === null && printedAfterMs > 0 ? UNKNOWN : STALLED;
}

/** Whether a shell begins the command of a prompt. */
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
