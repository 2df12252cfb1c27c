import { DomainError } from '../../contract/errors.js';
import { INPUT_ERRORS } from '../../contract/input-errors.js';
import { PROMPT_RETRY_MS } from '../../contract/limits.js';
import type { Principal } from '../../contract/principal.js';
import type { Prompt, PromptEnd, PromptReason } from '../../contract/prompt.js';
import { pause } from '../abortable.js';
import type { Hold } from '../input-gate/hold.js';
import { isGone } from '../screens.js';
import type { BlockedComposers } from './blocked-composers.js';
import type { Delivery, Into, Outcome, TypedPrompt } from './delivery.js';
import { isDue, isExpired, type KeptPrompt } from './kept-prompt.js';
import type { IdAndPrompt, PromptRecords } from './prompt-records.js';

export interface TerminalPromptsOptions {
  terminalId: string;
  records: PromptRecords;
  delivery: Delivery;
  mayType: (by: Principal, terminalId: string) => boolean;
  blocked: Pick<BlockedComposers, 'has' | 'clear'>;
  /** Ends a prompt; does nothing if it has ended. */
  end: (id: string, state: PromptEnd, reason?: PromptReason, isDropped?: boolean) => void;
  onFault: (error: unknown) => void;
  /** Called once no prompt of the terminal is due. */
  onOver: () => void;
}

/** Abort reason of a wait that is given up because another prompt may come first now. */
class LookAgain extends Error {}

/** Codes of errors after which nothing was typed and another attempt may succeed. */
const TRY_AGAIN = new Set([
  ...Object.keys(INPUT_ERRORS),
  'input-buffer-full',
  'unavailable',
  'audit-unavailable',
  'storage-full',
]);

/** Types the due prompts of one terminal, in turn. */
export class TerminalPrompts {
  readonly #options: TerminalPromptsOptions;
  /** Fires when the terminal has ended, or the service stops. */
  readonly #gone = new AbortController();
  /** The prompt being delivered, the condition that it waits for, and the controller that gives up that wait. */
  #current: { id: string; waitsFor: Prompt['waitsFor']; waiting: AbortController } | undefined;
  #over = Promise.resolve();
  #isStopping = false;

  constructor(options: TerminalPromptsOptions) {
    this.#options = options;
  }

  /** Resolves once no delivery is in progress. */
  get over(): Promise<void> {
    return this.#over;
  }

  begin(): void {
    this.#over = this.#run().finally(this.#options.onOver);
  }

  /** Returns the condition that a prompt waits for; undefined unless this prompt is being delivered. */
  waitsFor(id: string): Prompt['waitsFor'] | undefined {
    return this.#current?.id === id ? this.#current.waitsFor : undefined;
  }

  /** Gives up the present wait if its prompt has ended, or is no longer the first. */
  look(): void {
    if (this.#current && this.#first()?.[0] !== this.#current.id)
      this.#current.waiting.abort(new LookAgain());
  }

  terminalGone(): void {
    this.#end(new DomainError('terminal-not-found'));
  }

  /** Ends all waits, since the service stops. */
  stop(): void {
    this.#isStopping = true;
    this.#end(new DomainError('shutting-down'));
  }

  #end(reason: unknown): void {
    this.#gone.abort(reason);
    this.#current?.waiting.abort(reason);
  }

  /** Returns the first queued prompt that is due. */
  #first(): IdAndPrompt | undefined {
    const { records, terminalId } = this.#options;
    return records.of(terminalId).find(([, record]) => record.state === 'queued' && isDue(record));
  }

  async #run(): Promise<void> {
    const { onFault } = this.#options;
    for (let first = this.#first(); first && !this.#gone.signal.aborted; first = this.#first()) {
      const current = { id: first[0], waitsFor: 'ready' as const, waiting: new AbortController() };
      this.#current = current;
      const isOver = await this.#deliver(...first, current.waiting.signal).catch((error: unknown) => {
        if (!current.waiting.signal.aborted && !mayComeAgain(error)) onFault(error);
        return current.waiting.signal.aborted;
      });
      this.#current = undefined;
      if (!isOver) await pause(PROMPT_RETRY_MS, this.#gone.signal).catch(() => undefined);
    }
    if (isGone(this.#gone.signal.reason)) this.#endQueued();
  }

  /** Ends what is queued: a prompt whose typing was refused while its terminal ended is queued again. */
  #endQueued(): void {
    const { records, terminalId, end } = this.#options;
    for (const [id, { state }] of records.of(terminalId)) if (state === 'queued') end(id, 'terminal-gone');
  }

  /** Resolves with whether the next prompt may be looked at right away. Rejects if this one could not be typed now. */
  async #deliver(id: string, record: KeptPrompt, signal: AbortSignal): Promise<boolean> {
    const { terminalId, mayType, delivery, end } = this.#options;
    const { by, when } = record;
    if (!mayType(by, terminalId)) {
      end(id, 'cancelled', 'token-ended');
      return true;
    }
    await this.#untilOutOfTheWay(signal);
    this.#waitFor('ready');
    const into = await delivery.ready(terminalId, when, signal);
    this.#waitFor('gate');
    const hold = await delivery.enter(terminalId, into, record, signal);
    try {
      signal.throwIfAborted();
      if (!mayType(by, terminalId) || !delivery.isStillReady(terminalId, into)) return false;
      return await this.#type(id, into, hold);
    } finally {
      hold.release();
    }
  }

  #waitFor(waitsFor: Prompt['waitsFor']): void {
    if (this.#current) this.#current.waitsFor = waitsFor;
  }

  /** Resolves once the agent's composer can no longer hold text of a prompt that stalled. */
  async #untilOutOfTheWay(signal: AbortSignal): Promise<void> {
    const { terminalId, delivery, blocked } = this.#options;
    if (!blocked.has(terminalId)) return;
    this.#waitFor('stalled');
    await delivery.untilCleared(terminalId, signal);
    blocked.clear(terminalId);
  }

  /** Types a prompt while the terminal is held, then finds out its outcome. Resolves with whether it has ended. */
  async #type(id: string, into: Into, hold: Hold): Promise<boolean> {
    const { terminalId, records, delivery, end, onFault } = this.#options;
    // On disk first: a service that finds this never types the prompt again.
    await records.put(id, { state: 'typing', typedAt: Date.now() });
    const record = records.get(id);
    if (!record) return true;
    if (isExpired(record)) {
      end(id, 'expired');
      return true;
    }
    let typed: TypedPrompt;
    try {
      typed = await delivery.type(terminalId, into, id, record, hold);
    } catch (error) {
      return this.#notTyped(id, error);
    }
    hold.release();
    const { signal } = this.#gone;
    const outcome = await typed.outcome(signal).catch((error: unknown): Outcome => {
      if (!signal.aborted) onFault(error);
      return { state: 'unknown', reason: isGone(signal.reason) ? 'terminal-gone' : 'not-told' };
    });
    // A service that stops ends nothing here: the next service reports the outcome as unknown.
    if (!this.#isStopping) end(id, outcome.state, outcome.reason, outcome.isDropped);
    return true;
  }

  /** Queues a prompt again, or ends it, after an error of typing. Returns whether the prompt has ended. */
  #notTyped(id: string, error: unknown): boolean {
    const { records, end, onFault } = this.#options;
    const { code } = error instanceof DomainError ? error : { code: undefined };
    if (code === 'terminal-not-found') end(id, 'terminal-gone');
    else if (code === 'unknown-cli-type') end(id, 'cancelled', code);
    else if (code !== undefined && TRY_AGAIN.has(code)) {
      void records.change(id, { state: 'queued', typedAt: null });
      return false;
    } else {
      if (code !== 'outcome-unknown') onFault(error);
      end(id, 'unknown', 'outcome-unknown');
    }
    return true;
  }
}

function mayComeAgain(error: unknown): boolean {
  return error instanceof DomainError && (isGone(error) || TRY_AGAIN.has(error.code));
}
