import { randomUUID } from 'node:crypto';
import { WATCH_INPUT_LOOK_MS } from '../../contract/limits.js';
import type { KeptInput, KeptWatch } from './kept-watch.js';
import {
  type InputAction,
  type WaitingReason,
  WatchInputs,
  type WatchInputsOptions,
} from './watch-inputs.js';
import type { WatchRecords } from './watch-records.js';

export interface InputQueueOptions {
  records: WatchRecords;
  inputs: WatchInputsOptions;
  onFault: (error: unknown) => void;
}

/**
 * The lines of watches that are to be typed. Each action has one line at most, for all matches since it was typed last;
 * the line is kept with its watch until it is typed.
 */
export class InputQueue {
  readonly #options: InputQueueOptions;
  readonly #inputs: WatchInputs;
  #timer: NodeJS.Timeout | undefined;
  /** Looks in progress, by terminal. */
  readonly #looking = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(options: InputQueueOptions) {
    this.#options = options;
    this.#inputs = new WatchInputs(options.inputs);
    this.#look();
  }

  reasonOf(id: string, action: number): WaitingReason {
    return this.#inputs.reasonOf(id, action);
  }

  /** Adds matches to the lines of a watch. */
  add(id: string, matchedIn: string, count: number): void {
    const record = this.#options.records.mustHave(id);
    const targets = targetsOf(record);
    if (targets.size === 0) return;
    const inputs = new Map(record.inputs.map((input) => [input.action, input]));
    for (const action of targets.keys()) {
      const waiting = inputs.get(action) ?? { count: 0, since: Date.now(), once: `watch-${randomUUID()}` };
      inputs.set(action, { ...waiting, action, matchedIn, count: waiting.count + count });
    }
    this.#options.records.changeNow(id, { inputs: [...inputs.values()] });
    this.#look();
  }

  /** Ends the looks; the next service types the lines that still wait. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#looking.values());
  }

  /**
   * Looks at the terminals of all lines that wait, and again while some wait. Each terminal is looked at by itself, since a
   * terminal that does not answer must not delay the lines for others; lines for one terminal are tried one after the other.
   */
  #look(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#stopping.signal.aborted) return;
    for (const [terminalId, lines] of this.#lines()) {
      if (this.#looking.has(terminalId)) continue;
      const look = this.#tryLines(lines).finally(() => {
        this.#looking.delete(terminalId);
        if (this.#lines().size > 0 && !this.#stopping.signal.aborted)
          this.#timer ??= setTimeout(() => this.#look(), WATCH_INPUT_LOOK_MS).unref();
      });
      this.#looking.set(terminalId, look);
    }
  }

  /** Returns the lines that wait, by terminal. */
  #lines(): Map<string, { id: string; once: string }[]> {
    const { records } = this.#options;
    const byTerminal = new Map<string, { id: string; once: string }[]>();
    for (const id of records.ids()) {
      const record = records.mustHave(id);
      for (const { action, once } of record.inputs) {
        const { terminalId } = targetsOf(record).get(action) ?? {};
        if (terminalId === undefined) continue;
        byTerminal.set(terminalId, [...(byTerminal.get(terminalId) ?? []), { id, once }]);
      }
    }
    return byTerminal;
  }

  async #tryLines(lines: readonly { id: string; once: string }[]): Promise<void> {
    const { records, onFault } = this.#options;
    const { signal } = this.#stopping;
    for (const { id, once } of lines) {
      const present = () => records.get(id)?.inputs.find((each) => each.once === once);
      const input = present();
      const target = input && targetsOf(records.mustHave(id)).get(input.action);
      if (!target || signal.aborted) continue;
      try {
        const due = { watchId: id, action: input.action, target, present };
        const typed = await this.#inputs.tryToType(due, signal);
        if (typed) this.#typed(id, typed);
      } catch (error) {
        if (!signal.aborted) onFault(error);
      }
    }
  }

  /** Removes a line that was typed. Matches that came meanwhile become a line of their own. */
  #typed(id: string, typed: KeptInput): void {
    const { records } = this.#options;
    const inputs = (records.get(id)?.inputs ?? []).flatMap((input) => {
      if (input.once !== typed.once) return [input];
      const count = input.count - typed.count;
      return count > 0 ? [{ ...input, count, since: Date.now(), once: `watch-${randomUUID()}` }] : [];
    });
    records.changeNow(id, { inputs });
  }
}

/** Returns the actions of a watch that type, by their index. */
function targetsOf({ actions }: KeptWatch): Map<number, InputAction> {
  return new Map(
    actions.flatMap((action, index): [number, InputAction][] =>
      action.type === 'input' ? [[index, action]] : [],
    ),
  );
}
