import { PROMPT_CLOCK_MS } from '../../contract/limits.js';
import { isExpired, leftMs } from './kept-prompt.js';
import type { IdAndPrompt } from './prompt-records.js';

export interface PromptClockOptions {
  /** Returns the prompts that wait. */
  queued: () => IdAndPrompt[];
  onExpired: (id: string) => void;
  /** Called when a prompt of this terminal is due. */
  onDue: (terminalId: string) => void;
}

/** One timer for the times of all prompts; not set while no queued prompt has a time. */
export class PromptClock {
  readonly #options: PromptClockOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PromptClockOptions) {
    this.#options = options;
  }

  /** Reports the prompts that are due or have expired, and sets the timer for the next time. */
  look(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const due = new Set<string>();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [id, record] of this.#options.queued()) {
      if (isExpired(record)) {
        this.#options.onExpired(id);
        continue;
      }
      const dueMs = record.due ? leftMs(record.due) : 0;
      if (record.due && dueMs <= 0) due.add(record.terminalId);
      else if (record.due) nextMs = Math.min(nextMs, dueMs);
      if (record.expires) nextMs = Math.min(nextMs, leftMs(record.expires));
    }
    if (nextMs < Number.POSITIVE_INFINITY) {
      // Never early: a timer may fire a fraction of a millisecond before its time.
      const ms = Math.min(PROMPT_CLOCK_MS, Math.max(1, Math.ceil(nextMs)));
      this.#timer = setTimeout(() => this.look(), ms).unref();
    }
    for (const terminalId of due) this.#options.onDue(terminalId);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
