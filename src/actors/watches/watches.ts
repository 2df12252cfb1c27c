import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import type { Labels } from '../../contract/labels.js';
import { MAX_MATCH_TEXT_CHARS, MAX_WATCHES } from '../../contract/limits.js';
import type { Watch, WatchBody } from '../../contract/watch.js';
import type { Collection } from '../../store/store.js';
import type { FoundLines, LineSearchChange } from '../../workers/shard/watches/watch-api.js';
import type { EventLog } from '../event-log/event-log.js';
import type { EngineEvent } from '../events.js';
import type { Terminals } from '../terminals.js';
import type { Patterns } from '../waits/patterns.js';
import { InputQueue } from './input-queue.js';
import { type KeptWatch, recordOf, searchOf } from './kept-watch.js';
import type { Gathered } from './match-gate.js';
import { RegexLines } from './regex-lines.js';
import { WatchGates } from './watch-gates.js';
import type { WatchInputsOptions } from './watch-inputs.js';
import { WatchRecords } from './watch-records.js';
import { viewOf } from './watch-view.js';

export interface WatchesOptions {
  collection: Collection<KeptWatch>;
  log: Pick<EventLog, 'append'>;
  patterns: Pick<Patterns, 'match'>;
  /** Milliseconds on the clock of `hrMs`. */
  now: () => number;
  logger: Pick<Logger, 'error' | 'debug'>;
}

/** The parts of the service that exist only once the terminals do. */
export interface WatchedService {
  terminals: Pick<Terminals, 'subscribe' | 'shards' | 'list' | 'startOf'>;
  /** Returns whether a terminal is there: it runs, or has exited and is kept. */
  isThere: (id: string) => boolean;
  /** Returns the latest labels of a terminal, also after its removal: some of its matches may be reported later. */
  labelsOf: (id: string) => Labels | undefined;
  inputs: WatchInputsOptions;
  /** Throws webhook-not-found. */
  refuseUnknownWebhook: (id: string) => void;
}

/** Standing searches in what terminals print. */
export class Watches {
  readonly figures = { matches: 0, events: 0, leftOut: 0 };
  readonly #options: WatchesOptions;
  readonly #records: WatchRecords;
  readonly #gates = new Map<string, WatchGates>();
  readonly #regexLines: RegexLines;
  #service: WatchedService | undefined;
  #inputs: InputQueue | undefined;

  constructor(options: WatchesOptions) {
    this.#options = options;
    const { collection, logger, now, patterns } = options;
    this.#records = new WatchRecords({
      collection,
      now,
      logger,
      onExpired: (id) => this.#end(id, 'expired'),
    });
    this.#regexLines = new RegexLines({
      patterns,
      regexOf: (id) => this.#records.standing(id)?.regex ?? undefined,
      onMatch: ({ watchId, terminalId, text }) =>
        this.#matched(watchId, terminalId, { count: 1, text: text.slice(0, MAX_MATCH_TEXT_CHARS) }),
      onLeftOut: (id, isTooSlow) => this.#leftOut(id, 1, isTooSlow),
      onFault: (err) => logger.error({ err }, 'a regular expression of a watch could not be tried'),
    });
  }

  /** Goes on with the watches of the earlier service. Call after the log of events has begun. */
  start(service: WatchedService): void {
    const { logger, now } = this.#options;
    this.#service = service;
    this.#inputs = new InputQueue({
      ...{ records: this.#records, inputs: service.inputs, now },
      onFault: (err) => logger.error({ err }, 'the line of a watch could not be typed'),
    });
    this.#records.start();
    // Output from while no service ran has not been searched.
    if (service.terminals.list('running').length > 0) this.#gap();
    service.terminals.subscribe((event) => this.#onEvent(event));
  }

  /** Number of watches that have not ended. */
  get standing(): number {
    return this.#records.standingIds().length;
  }

  /** Returns the searches with which a new shard begins. */
  searches(): LineSearchChange {
    const add = this.#records.standingIds().map((id) => searchOf(id, this.#records.mustHave(id)));
    return { add, drop: [] };
  }

  /** Returns the same for the successor of a dead shard, whose last output was not searched. */
  searchesAgain(): LineSearchChange {
    this.#gap();
    return this.searches();
  }

  list(): Watch[] {
    return this.#records.ids().map((id) => this.get(id));
  }

  /** Throws watch-not-found. */
  get(id: string): Watch {
    const record = this.#records.mustHave(id);
    return viewOf(id, record, (action) => this.#inputs?.reasonOf(id, action) ?? 'unknown');
  }

  /**
   * Stores a watch. Resolves once all that is printed from now on is searched. Throws too-many-watches, webhook-not-found,
   * and terminal-not-found.
   */
  async create(body: WatchBody): Promise<Watch> {
    const service = this.#started();
    for (const action of body.actions) {
      if (action.type === 'webhook') service.refuseUnknownWebhook(action.webhookId);
      if (action.type === 'input') service.terminals.startOf(action.terminalId);
    }
    if (!this.#records.makeRoom(MAX_WATCHES)) throw new DomainError('too-many-watches');
    const id = `wt_${randomBytes(8).toString('hex')}`;
    await this.#records.add(id, recordOf(body, this.#options.now()));
    const shards = await service.terminals.shards;
    const record = this.#records.standing(id);
    // It may have expired by now.
    if (record) await shards.searchLines({ add: [searchOf(id, record)], drop: [] });
    return this.get(id);
  }

  /** Throws watch-not-found. */
  async remove(id: string): Promise<void> {
    this.#records.mustHave(id);
    this.#stopSearching(id);
    await this.#records.remove(id);
  }

  /** Reports gathered matches, and writes counts. Call before the log of events is closed. */
  async stop(): Promise<void> {
    for (const gates of [...this.#gates.values()]) gates.flush();
    this.#regexLines.stop();
    await this.#inputs?.stop();
    await this.#records.stop();
  }

  #started(): WatchedService {
    if (!this.#service) throw new DomainError('unavailable');
    return this.#service;
  }

  #onEvent(event: EngineEvent): void {
    if (event.type === 'found') this.#found(event);
    else if (event.type === 'updated') this.#relabelled(event.id, event.terminal.labels);
    else if (event.type === 'removed') this.#forget(event.id);
  }

  #forget(terminalId: string): void {
    this.#regexLines.forget((_watch, terminal) => terminal === terminalId);
    for (const gates of this.#gates.values()) gates.forget(terminalId);
  }

  #found({ id: terminalId, matched, whole, leftOut }: FoundLines): void {
    for (const { search, count, text } of matched) this.#matched(search, terminalId, { count, text });
    for (const { search: watchId, line, text } of whole) {
      this.#regexLines.add({ watchId, terminalId, line, text });
    }
    for (const { search, count } of leftOut) this.#leftOut(search, count, false);
  }

  #relabelled(id: string, labels: Labels): void {
    void this.#started()
      .terminals.shards.then((shards) => shards.call(id, (shard) => shard.labelled(id, labels)))
      // The shard died or the terminal is gone; a successor gets the labels when it opens the terminal.
      .catch((err: unknown) => this.#options.logger.debug({ err }, 'new labels did not reach a shard'));
  }

  #matched(id: string, terminalId: string, gathered: Gathered): void {
    const record = this.#records.standing(id);
    if (!record) return;
    this.figures.matches += gathered.count;
    this.#records.change(id, { matches: record.matches + gathered.count });
    this.#gatesOf(id, record).add(terminalId, gathered);
    // A line may be found after the removal of its terminal, which would have cleared what is kept of that line now.
    if (!this.#started().isThere(terminalId)) this.#forget(terminalId);
  }

  #gatesOf(id: string, { debounceMs, maxPerMinute }: KeptWatch): WatchGates {
    const known = this.#gates.get(id);
    if (known) return known;
    const gates = new WatchGates({
      ...{ debounceMs, maxPerMinute, now: this.#options.now },
      onDue: (terminalId, gathered) => this.#tell(id, terminalId, gathered),
    });
    this.#gates.set(id, gates);
    return gates;
  }

  /** Logs an event for the matches, and triggers the actions of the watch. */
  #tell(id: string, terminalId: string, { count, text }: Gathered): void {
    const record = this.#records.standing(id);
    if (!record) return;
    const { name, actions, once } = record;
    const webhooks = actions.flatMap((action) => (action.type === 'webhook' ? [action.webhookId] : []));
    const data = { watchId: id, name, count, text, ...(webhooks.length > 0 && { webhooks }) };
    const labels = this.#started().labelsOf(terminalId) ?? {};
    this.#options.log.append({ type: 'watch.matched', terminalId, data }, labels);
    this.figures.events += 1;
    const lastMatch = { terminalId, text, at: Date.now() };
    this.#records.change(id, { events: record.events + 1, lastMatch });
    this.#inputs?.add(id, terminalId, count);
    if (once) this.#end(id, 'once');
  }

  #end(id: string, reason: 'once' | 'expired'): void {
    if (!this.#records.standing(id)) return;
    if (reason === 'expired') this.#gates.get(id)?.flush();
    this.#stopSearching(id);
    // A line for a match is still typed after the single event of a `once` watch; an expired watch types nothing more.
    this.#records.end(id, reason);
    this.#options.log.append({ type: 'watch.ended', data: { watchId: id, reason } }, {});
  }

  #stopSearching(id: string): void {
    this.#gates.get(id)?.close();
    this.#gates.delete(id);
    this.#regexLines.forget((watch) => watch === id);
    void this.#service?.terminals.shards
      .then((shards) => shards.searchLines({ add: [], drop: [id] }))
      .catch((err: unknown) => this.#options.logger.debug({ err }, 'shards still search for a watch'));
  }

  #leftOut(id: string, count: number, isTooSlow: boolean): void {
    const record = this.#records.standing(id);
    if (!record) return;
    this.figures.leftOut += count;
    this.#records.change(id, { leftOut: record.leftOut + count, isTooSlow: record.isTooSlow || isTooSlow });
  }

  #gap(): void {
    for (const id of this.#records.standingIds()) {
      this.#records.change(id, { gaps: this.#records.mustHave(id).gaps + 1 });
    }
  }
}
