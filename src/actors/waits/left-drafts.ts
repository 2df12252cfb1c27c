import { DomainError } from '../../contract/errors.js';
import { MAX_WAIT_MS } from '../../contract/limits.js';
import { decodeCursor } from '../../workers/shard/read-cursor.js';
import type { EngineEvent } from '../events.js';
import type { InputGate } from '../input-gate/input-gate.js';
import { untilAsleep, untilReported } from './quiet.js';
import type { ShellParts } from './shell-rest.js';

export interface LeftDraftsOptions {
  parts: ShellParts;
  gate: Pick<InputGate, 'lineEnded'>;
  onFault: (error: unknown, id: string) => void;
}

/**
 * Forgets drafts that were typed before the shell's prompt and are not in the shell's line: the program that ran before
 * that prompt has read them, as `less` reads its `q`. Text that the shell reads moves the cursor away from the end of
 * the prompt.
 */
export class LeftDrafts {
  readonly #options: LeftDraftsOptions;
  /** Terminals that are looked at. */
  readonly #looking = new Map<string, AbortController>();

  constructor(options: LeftDraftsOptions) {
    this.#options = options;
  }

  onEvent(event: EngineEvent): void {
    const { type, id } = event;
    if (type === 'removed' || type === 'exited') this.#giveUp(id);
    // The mark of a prompt may come before it is known that the text was typed.
    else if (type === 'typed') this.#look(id);
    else if (type === 'mark' && event.mark.kind === 'prompt') this.#look(id);
    else if (type === 'mark' && event.mark.kind === 'started') this.#giveUp(id);
  }

  /** Notes that the line typed last may still be in the shell's line editor, as fish keeps a line that it refuses. */
  assume(id: string): void {
    this.#options.parts.submissions.assumeDraft(id);
    this.#look(id);
  }

  /** Ends all looks. */
  stop(): void {
    for (const id of [...this.#looking.keys()]) this.#giveUp(id);
  }

  #giveUp(id: string): void {
    this.#looking.get(id)?.abort(new DomainError('unavailable'));
    this.#looking.delete(id);
  }

  #look(id: string): void {
    const prompt = this.#options.parts.submissions.promptAfterDraft(id);
    this.#giveUp(id);
    if (prompt === undefined) return;
    const looking = new AbortController();
    this.#looking.set(id, looking);
    this.#forgetIfLeft(id, prompt, looking.signal)
      .catch((error: unknown) => {
        if (!(error instanceof DomainError)) this.#options.onFault(error, id);
      })
      .finally(() => {
        if (this.#looking.get(id) === looking) this.#looking.delete(id);
      });
  }

  /** @param prompt - the cursor after the prompt */
  async #forgetIfLeft(id: string, prompt: string, signal: AbortSignal): Promise<void> {
    const { parts, gate } = this.#options;
    await untilAsleep(parts, id, signal);
    const { cursor } = await untilReported(parts, id, { signal, leftMs: MAX_WAIT_MS });
    signal.throwIfAborted();
    // The shell keeps the text for a run, and shows it again soon.
    if (parts.commands.shellStatus(id).hasDraft) return;
    if (!isSamePlace(cursor, prompt)) return;
    parts.submissions.forgetDraft(id);
    gate.lineEnded(id);
  }
}

function isSamePlace(cursor: string, other: string): boolean {
  const [a, b] = [cursor, other].map((text) => decodeCursor(text, Number.POSITIVE_INFINITY));
  return a?.row === b?.row && a?.col === b?.col && a?.altScreen === b?.altScreen;
}
