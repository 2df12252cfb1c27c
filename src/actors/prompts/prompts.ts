import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import type { Labels, Selector } from '../../contract/labels.js';
import { matches } from '../../contract/labels.js';
import type { Principal } from '../../contract/principal.js';
import type { Prompt, PromptEnd, PromptReason, PromptState } from '../../contract/prompt.js';
import type { Collection } from '../../store/store.js';
import type { EventLog } from '../event-log/event-log.js';
import type { EngineEvent } from '../events.js';
import { isGone } from '../screens.js';
import type { Terminals } from '../terminals.js';
import { BlockedComposers } from './blocked-composers.js';
import type { Delivery } from './delivery.js';
import {
  ending,
  isDue,
  isOpen,
  type KeptPrompt,
  type PromptRequest,
  recordOf,
  viewOf,
} from './kept-prompt.js';
import { PromptClock } from './prompt-clock.js';
import { type IdAndPrompt, PromptRecords } from './prompt-records.js';
import { TerminalPrompts } from './terminal-prompts.js';

export interface PromptsOptions {
  collection: Collection<KeptPrompt>;
  log: Pick<EventLog, 'append'>;
  logger: Pick<Logger, 'error'>;
}

/** The parts of the service that exist only once the terminals do. */
export interface PromptService {
  terminals: Pick<Terminals, 'subscribe' | 'startOf'>;
  /** Returns the labels of a terminal; undefined if there is none. */
  labelsOf: (id: string) => Labels | undefined;
  delivery: Delivery;
  /** Throws unknown-cli-type. */
  checkCliType: (cliType: string) => void;
  /** Returns whether the writer may still type into the terminal: its token may have ended. */
  mayType: (by: Principal, terminalId: string) => boolean;
}

type PromptNews =
  | { type: 'prompt.queued'; data: { promptId: string } }
  | { type: 'prompt.ended'; data: { promptId: string; state: PromptEnd; reason: PromptReason | null } };

interface ListOptions {
  terminalId?: string | undefined;
  selector?: Selector | undefined;
  state?: PromptState | undefined;
  /** Returns whether the client may know of a terminal. */
  sees?: (terminalId: string) => boolean;
}

/** Prompts that wait until their terminals are ready for them. */
export class Prompts {
  /** Prompts that have ended since the service started, counted by outcome. */
  readonly ended: Record<PromptEnd, number> = {
    ...{ submitted: 0, stalled: 0, expired: 0, cancelled: 0, 'terminal-gone': 0, unknown: 0 },
  };
  readonly #options: PromptsOptions;
  readonly #records: PromptRecords;
  readonly #clock: PromptClock;
  /** Terminals whose prompts are being delivered. */
  readonly #working = new Map<string, TerminalPrompts>();
  readonly blocked: BlockedComposers;
  #service: PromptService | undefined;
  #isStopping = false;

  constructor(options: PromptsOptions) {
    this.#options = options;
    this.#records = new PromptRecords({
      collection: options.collection,
      onFault: (err, prompt) => options.logger.error({ err, prompt }, 'a queued prompt could not be stored'),
    });
    this.blocked = new BlockedComposers(this.#records);
    this.#clock = new PromptClock({
      queued: () => this.#queued(),
      onExpired: (id) => this.#end(id, 'expired'),
      onDue: (terminalId) => this.#work(terminalId),
    });
  }

  /** Goes on with the prompts of the earlier service. Call after the log of events has begun. */
  start(service: PromptService): void {
    this.#service = service;
    for (const [id, { terminalId, state }] of this.#records.all()) {
      const isGone = !this.#isRunning(terminalId);
      if (isGone) this.blocked.clear(terminalId);
      // The keys may have been typed: they are never typed again.
      if (state === 'typing') this.#end(id, 'unknown', isGone ? 'terminal-gone' : 'restarted');
      else if (isGone) this.#end(id, 'terminal-gone');
    }
    service.terminals.subscribe((event) => this.#onEvent(event));
    this.#clock.look();
    for (const terminalId of new Set(this.#queued().map(([, record]) => record.terminalId)))
      this.#work(terminalId);
  }

  /** Number of prompts that wait. */
  get queued(): number {
    return this.#queued().length;
  }

  /**
   * Queues a prompt; it is on disk once this resolves. A repetition with the same id finds the first. Rejects with
   * terminal-not-found, unknown-cli-type, too-many-prompts.
   */
  async add(request: PromptRequest): Promise<Prompt> {
    const { terminals, checkCliType } = this.#started();
    const { id, terminalId, body } = request;
    if (terminals.startOf(terminalId).exit) throw new DomainError('terminal-not-found');
    if (body.cliType !== undefined) checkCliType(body.cliType);
    if (this.#records.get(id)) return this.get(terminalId, id);
    await this.#records.add(id, (n) => recordOf(request, n));
    this.#tell(terminalId, { type: 'prompt.queued', data: { promptId: id } });
    if (!this.#isRunning(terminalId)) this.#end(id, 'terminal-gone');
    this.#clock.look();
    this.#work(terminalId);
    return this.get(terminalId, id);
  }

  /** Returns prompts in the order in which they were queued; of long ones the beginning. Throws terminal-not-found. */
  list({ terminalId, selector, state, sees = () => true }: ListOptions): Prompt[] {
    const { terminals, labelsOf } = this.#started();
    if (terminalId !== undefined) terminals.startOf(terminalId);
    const found = terminalId === undefined ? this.#records.all() : this.#records.of(terminalId);
    const isAsked = (record: KeptPrompt) =>
      (state === undefined || record.state === state) &&
      (selector === undefined || matches(labelsOf(record.terminalId) ?? {}, selector)) &&
      sees(record.terminalId);
    const positions = new Map<string, number>();
    return found.flatMap(([id, record]) => {
      const position = (positions.get(record.terminalId) ?? 0) + (record.state === 'queued' ? 1 : 0);
      positions.set(record.terminalId, position);
      return isAsked(record) ? [this.#view(id, record, position, false)] : [];
    });
  }

  /** Returns a prompt, with its whole text while it waits. Throws prompt-not-found. */
  get(terminalId: string, id: string): Prompt {
    const record = this.#mustHave(terminalId, id);
    const queued = this.#records.of(terminalId).filter(([, { state }]) => state === 'queued');
    return this.#view(id, record, queued.findIndex(([each]) => each === id) + 1, isOpen(record));
  }

  /** Cancels a prompt that waits. Throws prompt-not-found, prompt-not-queued. */
  cancel(terminalId: string, id: string): Prompt {
    if (this.#mustHave(terminalId, id).state !== 'queued') throw new DomainError('prompt-not-queued');
    this.#end(id, 'cancelled', 'requested');
    return this.get(terminalId, id);
  }

  /** Ends all waits; the next service delivers the prompts that still wait. Resolves once everything is written. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#clock.stop();
    const working = [...this.#working.values()];
    for (const each of working) each.stop();
    await Promise.all(working.map(({ over }) => over));
    await this.#records.stop();
  }

  #started(): PromptService {
    if (!this.#service) throw new DomainError('unavailable');
    return this.#service;
  }

  #queued(): IdAndPrompt[] {
    return this.#records.open().filter(([, { state }]) => state === 'queued');
  }

  #mustHave(terminalId: string, id: string): KeptPrompt {
    const record = this.#records.get(id);
    if (record?.terminalId !== terminalId) throw new DomainError('prompt-not-found');
    return record;
  }

  #isRunning(terminalId: string): boolean {
    try {
      return this.#started().terminals.startOf(terminalId).exit === null;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  #view(id: string, record: KeptPrompt, position: number, isWhole: boolean): Prompt {
    if (record.state !== 'queued') return viewOf(id, record, { position: null, waitsFor: null, isWhole });
    const current = this.#working.get(record.terminalId)?.waitsFor(id) ?? 'turn';
    return viewOf(id, record, { position, waitsFor: isDue(record) ? current : 'time', isWhole });
  }

  #onEvent(event: EngineEvent): void {
    const { type, id: terminalId } = event;
    if (type === 'typed') this.blocked.typed(terminalId, event.parts);
    if (type !== 'exited' && type !== 'removed') return;
    for (const [id, { state }] of this.#records.of(terminalId)) {
      if (state === 'queued') this.#end(id, 'terminal-gone');
    }
    this.blocked.clear(terminalId);
    this.#working.get(terminalId)?.terminalGone();
  }

  /** Starts the delivery of due prompts in a terminal, or has a delivery in progress look again. */
  #work(terminalId: string): void {
    if (this.#isStopping) return;
    const working = this.#working.get(terminalId);
    if (working) {
      working.look();
      return;
    }
    const { delivery, mayType } = this.#started();
    const begun = new TerminalPrompts({
      ...{ terminalId, records: this.#records, delivery, mayType },
      blocked: this.blocked,
      end: (...ended) => this.#end(...ended),
      onFault: (err) =>
        this.#options.logger.error({ err, terminal: terminalId }, 'a prompt could not be typed'),
      onOver: () => {
        this.#working.delete(terminalId);
        // A prompt may have become due after the last look.
        if (this.#records.of(terminalId).some(([, record]) => record.state === 'queued' && isDue(record)))
          this.#work(terminalId);
      },
    });
    this.#working.set(terminalId, begun);
    begun.begin();
  }

  #end(id: string, state: PromptEnd, reason: PromptReason | null = null, isDropped = false): void {
    const record = this.#records.get(id);
    if (!record || !isOpen(record)) return;
    const written = this.#records.change(id, ending(record, state, reason, isDropped));
    this.ended[state] += 1;
    if (this.#records.get(id)?.isInTheWay) this.blocked.add(record.terminalId);
    this.#working.get(record.terminalId)?.look();
    // Reported only once it is on disk, so that no later service reports another outcome.
    void written.then(() => {
      const data = { promptId: id, state, reason };
      this.#tell(record.terminalId, { type: 'prompt.ended', data });
    });
  }

  #tell(terminalId: string, event: PromptNews): void {
    this.#options.log.append({ ...event, terminalId }, this.#started().labelsOf(terminalId) ?? {});
  }
}
