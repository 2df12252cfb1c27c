import type { CommandMark } from '../../workers/shard/taps/command-plan.js';
import type { EngineEvent } from '../events.js';
import { entersIn, leavesDraft } from '../paste.js';

/**
 * What a shell has been given and has not taken yet. `sure`: it will start something, or show another prompt;
 * `maybe`: it will, unless the program that ran meanwhile has taken it.
 */
export type Pending = 'none' | 'maybe' | 'sure';

interface Typed {
  /** Lines submitted, less those that have started a command or brought another prompt. */
  lines: number;
  /** A prompt has been seen. */
  isReady: boolean;
  /** What is pending was typed before the first prompt. */
  isEarly: boolean;
  /** A command has started since the last prompt. */
  hasStarted: boolean;
  /** A prompt came after a line and no command: the shell may have drawn it before it took the line. */
  isDoubtful: boolean;
  /** Where the prompt stood that came after a line which ran nothing; null once a command has begun since. */
  ranNothingAt: number | null;
  /** Something was typed after the last line that was submitted. */
  hasDraft: boolean;
}

/** Follows what is submitted in terminals and what their shells make of it. */
export class Submissions {
  readonly #typed: Map<string, Typed>;

  /** @param terminalIds - of the terminals that are there already */
  constructor(terminalIds: readonly string[]) {
    this.#typed = new Map(terminalIds.map((id) => [id, fresh({ isReady: true })]));
  }

  onEvent(event: EngineEvent): void {
    const { id } = event;
    if (event.type === 'created') this.#typed.set(id, fresh({ isReady: false }));
    if (event.type === 'exited' || event.type === 'removed') this.#typed.delete(id);
    const typed = this.#typed.get(id);
    if (!typed) return;
    // The line of a run is reported by its shell.
    if (event.type === 'typed' && !event.isRun) {
      submit(typed, entersIn(event.parts));
      typed.hasDraft = leavesDraft(event.parts, typed.hasDraft);
    } else if (event.type === 'mark') tell(typed, event.mark);
  }

  /** Position of the prompt after the last line, where that line ran nothing: it was refused, or blank. */
  ranNothingAt(id: string): number | null {
    return this.#typed.get(id)?.ranNothingAt ?? null;
  }

  /** Whether somebody has begun to type a line, as far as this service has seen. */
  hasDraft(id: string): boolean {
    return this.#typed.get(id)?.hasDraft ?? false;
  }

  /** @param when - on the clock of `hrMs`: the last submission, and the prompt that the shell shows */
  pending(id: string, when: { submittedAt: number | undefined; promptAt: number | null }): Pending {
    const { lines, isEarly, isDoubtful } = this.#typed.get(id) ?? NOTHING;
    const { submittedAt = Number.NEGATIVE_INFINITY, promptAt } = when;
    if (lines > 0 && (isEarly || (promptAt !== null && submittedAt > promptAt))) return 'sure';
    return lines > 0 || isDoubtful ? 'maybe' : 'none';
  }

  /** The shell has started nothing for so long that what was pending must have gone to another program. */
  settle(id: string): void {
    const typed = this.#typed.get(id);
    if (typed) Object.assign(typed, { lines: 0, isDoubtful: false });
  }
}

function submit(typed: Typed, enters: number): void {
  if (enters > 0 && !typed.isReady) typed.isEarly = true;
  typed.lines += enters;
}

function tell(typed: Typed, { kind, state }: CommandMark): void {
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
    Object.assign(typed, { isReady: true, hasStarted: false });
  }
}

function fresh({ isReady }: { isReady: boolean }): Typed {
  return {
    lines: 0,
    isReady,
    isEarly: false,
    hasStarted: false,
    isDoubtful: false,
    ranNothingAt: null,
    hasDraft: false,
  };
}

const NOTHING: Readonly<Typed> = fresh({ isReady: true });
