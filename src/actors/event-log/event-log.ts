import type { Logger } from 'pino';
import type { Labels } from '../../contract/labels.js';
import type { EventPosition, KeptEvent, PassingEvent } from '../../contract/service-event.js';
import type { Shelf } from '../../store/store.js';
import { EventRing, type RingBounds } from './event-ring.js';
import type { Fact, Head, KeptLogRecord } from './kept-log.js';
import { LogWriter, type LogWriterOptions } from './log-writer.js';
import { type LoggedEvent, loggedEvent } from './logged-event.js';
import { newEpoch, type ReadOptions, readLog } from './read-log.js';

export interface EventLogOptions extends ReadOptions, RingBounds {
  shelf: Shelf<KeptLogRecord>;
  logger: Pick<Logger, 'error'>;
  /** See {@link LogWriterOptions}. */
  pause?: LogWriterOptions['pause'];
}

/** Changes of the facts behind the events, by their keys; null removes a fact. */
export type FactChanges = ReadonlyMap<string, Fact | null>;

const NO_FACTS: FactChanges = new Map();

/**
 * The events of this service, numbered from 1 in an epoch. The latest are kept, in memory and on disk, so that clients
 * can resume. An event can be read once it is on disk: a client never has an event that the next service does not
 * know. Where events may be missing, another epoch begins.
 */
export class EventLog {
  /** Whether the log continues that of an earlier service. Otherwise no client has received any event of it. */
  readonly isContinued: boolean;
  /** Whether the earlier service ended without closing the log. */
  readonly isInterrupted: boolean;
  readonly #options: EventLogOptions;
  readonly #writer: LogWriter;
  readonly #facts: Map<string, Fact>;
  readonly #listeners = new Set<() => void>();
  readonly #passing = new Set<(event: LoggedEvent) => void>();
  #onEvent: (event: KeptEvent | PassingEvent) => void = () => undefined;
  #epoch: string;
  #ring: EventRing;
  /** Number of the last event that may be read. */
  #last: number;

  private constructor(options: EventLogOptions) {
    this.#options = options;
    const left = readLog(options.shelf, options);
    this.isContinued = left !== undefined;
    this.isInterrupted = left?.head.isOpen ?? false;
    this.#epoch = left?.head.epoch ?? newEpoch();
    this.#ring = new EventRing(options, left ? left.head.first - 1 : 0);
    for (const event of left?.events ?? []) this.#ring.add(event);
    this.#last = this.#ring.last;
    this.#facts = left?.facts ?? new Map();
    this.#writer = new LogWriter({
      shelf: options.shelf,
      head: () => this.#head(),
      whole: () => ({ head: this.#head(), events: this.#ring.kept(), facts: this.#facts }),
      onWritten: (last) => this.#written(last),
      onBroken: () => this.#breakEpoch(),
      logger: options.logger,
      pause: options.pause,
    });
  }

  /** Opens the log that an earlier service has left, or begins another epoch. */
  static async open(options: EventLogOptions): Promise<EventLog> {
    const log = new EventLog(options);
    await log.#writer.begin(!log.isContinued);
    return log;
  }

  get epoch(): string {
    return this.#epoch;
  }

  /** Number of the last event that can be read; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** Facts from the events so far, and other facts that the writers of events have noted. */
  get facts(): ReadonlyMap<string, Fact> {
    return this.#facts;
  }

  /** Adds an event, and changes facts together with it. `labels` are its terminal's labels at this moment. */
  append(event: KeptEvent, labels: Labels, facts = NO_FACTS): void {
    const logged = loggedEvent(event, labels);
    this.#change(facts);
    const dropped = this.#ring.add(logged);
    this.#writer.add({ added: { n: this.#ring.last, event: logged }, dropped, facts });
    this.#onEvent(event);
  }

  /** Passes an event to the present listeners, without keeping it. */
  pass(event: PassingEvent, labels: Labels): void {
    this.#onEvent(event);
    if (this.#passing.size === 0) return;
    const logged = loggedEvent(event, labels);
    for (const listener of [...this.#passing]) listener(logged);
  }

  /** Changes facts without an event. */
  note(facts: FactChanges): void {
    this.#change(facts);
    this.#writer.add({ dropped: [], facts });
  }

  /** Returns the event of this number; undefined if it is not kept, or cannot be read yet. */
  at(n: number): LoggedEvent | undefined {
    return n <= this.#last ? this.#ring.at(n) : undefined;
  }

  /** Returns, in words, why the events after this position cannot be sent to a client; undefined if they can. */
  whyGone({ epoch, n }: EventPosition): string | undefined {
    if (epoch !== this.#epoch) return 'the log of events has begun anew since then';
    if (n > this.#last) return 'there is no such event yet';
    if (n < this.#ring.first - 1) return 'the events after it are no longer kept';
    return undefined;
  }

  /** Calls `listener` whenever there may be events to read, or another epoch, until the returned function is called. */
  onNews(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Sets the listener that is called with every event as it happens, kept or not, before it is on disk. */
  onEvent(listener: (event: KeptEvent | PassingEvent) => void): void {
    this.#onEvent = listener;
  }

  /** Calls `listener` with each event that is not kept, until the returned function is called. */
  onPassing(listener: (event: LoggedEvent) => void): () => void {
    this.#passing.add(listener);
    return () => void this.#passing.delete(listener);
  }

  /** Writes the remaining changes. Resolves once that is done or has failed. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  #head(): Head {
    const { first, last } = this.#ring;
    return { kind: 'head', epoch: this.#epoch, first, last, isOpen: true, boot: this.#options.boot };
  }

  #change(facts: FactChanges): void {
    for (const [key, fact] of facts) {
      if (fact) this.#facts.set(key, fact);
      else this.#facts.delete(key);
    }
  }

  #written(last: number): void {
    if (last <= this.#last) return;
    this.#last = last;
    this.#tell();
  }

  /** Begins another epoch with the events that no client could read yet. */
  #breakEpoch(): void {
    const unread = this.#ring.after(this.#last);
    this.#epoch = newEpoch();
    this.#ring = new EventRing(this.#options);
    for (const event of unread) this.#ring.add(event);
    this.#last = 0;
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
