import { hrMs } from '../../workers/clock.js';
import type { CommandMark } from '../../workers/shard/stages/command-plan.js';
import { abortable } from '../abortable.js';
import type { EngineEvent } from '../events.js';
import { entersIn, leavesDraft } from '../paste.js';

/**
 * Whether a shell has input that it has not taken yet. `sure`: it will start something, or show another
 * prompt; `maybe`: it will, unless the program that ran meanwhile has read the input.
 */
export type Pending = 'none' | 'maybe' | 'sure';

interface Typed {
  /** Lines submitted, minus the lines that have started a command or brought another prompt. */
  lines: number;
  /** Of these, lines whose typing the pty host has not confirmed yet. */
  sending: number;
  /** A prompt has been seen. */
  isReady: boolean;
  /** The pending lines were typed before the first prompt. */
  isEarly: boolean;
  /** A command has started since the last prompt. */
  hasStarted: boolean;
  /** A prompt came after a line, without a command: the shell may have drawn it before it took the line. */
  isDoubtful: boolean;
  /** Position of the prompt that came after a line which ran nothing; null once a command has begun since. */
  ranNothingAt: number | null;
  /** Something was typed after the last line that was submitted. */
  hasDraft: boolean;
  /** When the typing of anything began last, on the clock of `hrMs`. */
  typingAt: number;
  /** The latest prompt: its time on the same clock, and the cursor after it; null before the first. */
  prompt: { hrMs: number; cursor: string } | null;
}

/** Tracks the lines submitted in terminals and whether their shells have taken them. */
export class Submissions {
  readonly #typed: Map<string, Typed>;
  /** Called with the id of each terminal whose draft is forgotten. */
  readonly #listeners = new Set<(id: string) => void>();

  /** @param terminalIds - ids of the terminals that exist already */
  constructor(terminalIds: readonly string[]) {
    this.#typed = new Map(terminalIds.map((id) => [id, fresh({ isReady: true })]));
  }

  onEvent(event: EngineEvent): void {
    const { id } = event;
    if (event.type === 'created') this.#typed.set(id, fresh({ isReady: false }));
    if (event.type === 'exited' || event.type === 'removed') this.#typed.delete(id);
    const typed = this.#typed.get(id);
    if (!typed) return;
    // Counted before they are sent: on a full machine the prompt that follows a line may come before `typed` does.
    // Lines of runs are not counted: their shells report them.
    if (event.type === 'typing') {
      typed.typingAt = hrMs();
      submit(typed, entersIn(event.parts));
    } else if (event.type === 'untyped') {
      typed.lines = Math.max(0, typed.lines - entersIn(event.parts));
      confirm(typed, entersIn(event.parts));
    } else if (event.type === 'typed' && !event.isRun) {
      confirm(typed, entersIn(event.parts));
      typed.hasDraft = leavesDraft(event.parts, typed.hasDraft);
    } else if (event.type === 'mark') tell(typed, event.mark);
  }

  /**
   * Returns the position of the prompt after the last line if that line ran nothing, because it was refused or blank;
   * null otherwise.
   */
  ranNothingAt(id: string): number | null {
    return this.#typed.get(id)?.ranNothingAt ?? null;
  }

  /** Returns whether somebody has begun to type a line, as far as this service process has seen. */
  hasDraft(id: string): boolean {
    return this.#typed.get(id)?.hasDraft ?? false;
  }

  /**
   * Returns the cursor after the latest prompt if there is a draft and all of it was typed before that prompt; undefined
   * otherwise. Such text is in the shell's line only if no program has read it before.
   */
  promptAfterDraft(id: string): string | undefined {
    const { hasDraft, typingAt, prompt } = this.#typed.get(id) ?? NOTHING;
    return hasDraft && prompt && typingAt < prompt.hrMs ? prompt.cursor : undefined;
  }

  /** Counts the line typed last as a draft. */
  assumeDraft(id: string): void {
    const typed = this.#typed.get(id);
    if (typed) typed.hasDraft = true;
  }

  /** Forgets the draft: the shell's line is empty. */
  forgetDraft(id: string): void {
    const typed = this.#typed.get(id);
    if (!typed) return;
    typed.hasDraft = false;
    for (const listener of [...this.#listeners]) listener(id);
  }

  /** Resolves once a draft of the terminal is forgotten. Rejects with the signal's reason. */
  untilForgotten(id: string, signal: AbortSignal): Promise<void> {
    return abortable(signal, (resolve) => {
      const listener = (each: string) => {
        if (each === id) resolve();
      };
      this.#listeners.add(listener);
      return () => void this.#listeners.delete(listener);
    });
  }

  /**
   * Returns whether a shell has input pending.
   *
   * @param when - times of the last submission and of the latest prompt, on the clock of `hrMs`
   */
  pending(id: string, when: { submittedAt: number | undefined; promptAt: number | null }): Pending {
    const { lines, sending, isEarly, isDoubtful } = this.#typed.get(id) ?? NOTHING;
    const { submittedAt = Number.NEGATIVE_INFINITY, promptAt } = when;
    // A line that may never be typed must not be waited for without a bound.
    if (lines > sending && (isEarly || (promptAt !== null && submittedAt > promptAt))) return 'sure';
    return lines > 0 || isDoubtful ? 'maybe' : 'none';
  }

  /** Clears the pending lines: the shell has started nothing for so long that another program must have read them. */
  settle(id: string): void {
    const typed = this.#typed.get(id);
    if (typed) Object.assign(typed, { lines: 0, sending: 0, isDoubtful: false });
  }
}

function submit(typed: Typed, enters: number): void {
  if (enters > 0 && !typed.isReady) typed.isEarly = true;
  typed.lines += enters;
  typed.sending += enters;
}

function confirm(typed: Typed, enters: number): void {
  typed.sending = Math.max(0, typed.sending - enters);
}

function tell(typed: Typed, mark: CommandMark): void {
  const { kind, state } = mark;
  if (kind === 'started') {
    const lines = Math.max(0, typed.lines - 1);
    Object.assign(typed, {
      ...{ lines, hasStarted: true, isEarly: false, isDoubtful: false, ranNothingAt: null },
    });
  } else if (kind === 'prompt') {
    const isEmptyLine = typed.isReady && !typed.hasStarted && typed.lines > 0;
    if (isEmptyLine) {
      const { position } = state;
      Object.assign(typed, {
        ...{ lines: typed.lines - 1, isEarly: false, isDoubtful: true, ranNothingAt: position },
      });
    }
    Object.assign(typed, {
      isReady: true,
      hasStarted: false,
      prompt: { hrMs: mark.hrMs, cursor: mark.cursor },
    });
  }
}

function fresh({ isReady }: { isReady: boolean }): Typed {
  return {
    lines: 0,
    sending: 0,
    isReady,
    isEarly: false,
    hasStarted: false,
    isDoubtful: false,
    ranNothingAt: null,
    hasDraft: false,
    typingAt: Number.NEGATIVE_INFINITY,
    prompt: null,
  };
}

const NOTHING: Readonly<Typed> = fresh({ isReady: true });
