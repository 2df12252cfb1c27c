import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { EVENT_LOG_RETRY_MS } from '../../contract/limits.js';
import type { Shelf, ShelfChanges } from '../../store/store.js';
import { EVENTS, eventRecordId, FACTS, type Fact, HEAD, type Head, type KeptLogRecord } from './kept-log.js';
import type { LoggedEvent } from './logged-event.js';

/** Changes on disk that an event brings, or a change of facts alone. */
export interface LogChange {
  added?: { n: number; event: LoggedEvent };
  /** Numbers of the events that are no longer kept. */
  dropped: readonly number[];
  /** New facts by their keys; null removes one. */
  facts: ReadonlyMap<string, Fact | null>;
}

/** The whole log at one moment. */
interface WholeLog {
  head: Head;
  /** The kept events with their numbers. */
  events: Iterable<[n: number, event: LoggedEvent]>;
  facts: ReadonlyMap<string, Fact>;
}

export interface LogWriterOptions {
  shelf: Shelf<KeptLogRecord>;
  head: () => Head;
  whole: () => WholeLog;
  /** Called once the event of this number and all before it may be sent: they are on disk, or the disk has no log. */
  onWritten: (last: number) => void;
  /** Called when a write has failed. Events that were not written must then get other ids than the disk expects. */
  onBroken: () => void;
  /** Waits before the next try, at most until the signal fires; tests pass another function. */
  pause?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined;
  logger: Pick<Logger, 'error'>;
}

/**
 * Writes the log. The changes of one turn of the event loop are written together at its end, before anything that a
 * later turn writes: so no other part of the store is ever ahead of the log.
 *
 * After a failed write, the log on disk has a hole. The writer then removes the head, so that the next start begins
 * another epoch; from then on events are kept in memory alone, until all of the log can be written anew.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #closing = new AbortController();
  /** `broken`: the head on disk must not be read; `memory`: the disk has no head. */
  #state: 'written' | 'broken' | 'memory' = 'written';
  #isRewriting = false;
  #batch: { remove: Set<string>; put: Map<string, KeptLogRecord> } | undefined;
  /** Settles after the writes so far, in their order. */
  #tail: Promise<void> = Promise.resolve();
  #recovery: Promise<void> = Promise.resolve();

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  /** Marks the log on disk as open, after removing all of it if `clear` is set. Resolves once that is written, or has failed. */
  async begin(clear: boolean): Promise<void> {
    const put = new Map<string, KeptLogRecord>([[HEAD, this.#options.head()]]);
    const prefixes = clear ? [EVENTS, FACTS] : [];
    await this.#options.shelf
      .write({ clear: prefixes, remove: [], put })
      .catch((err: unknown) => this.#break(err));
  }

  add(change: LogChange): void {
    if (this.#isRewriting) {
      this.#merge(change);
      return;
    }
    if (this.#state === 'memory') this.#release();
    if (this.#state !== 'written') return;
    if (!this.#batch) queueMicrotask(() => this.#flush());
    this.#merge(change);
  }

  /** Writes the remaining changes, and marks the log as complete. Resolves once that is done or has failed. */
  async close(): Promise<void> {
    this.#flush();
    await this.#tail;
    this.#closing.abort();
    await this.#recovery;
    const isOpen = false;
    if (this.#state === 'written') {
      const put = new Map<string, KeptLogRecord>([[HEAD, { ...this.#options.head(), isOpen }]]);
      // If this write fails, the head still says that the log is open, which claims less.
      await this.#write({ clear: [], remove: [], put });
      return;
    }
    if (!(await this.#rewrite(isOpen)) && this.#state === 'broken') await this.#removeHead();
  }

  #merge({ added, dropped, facts }: LogChange): void {
    this.#batch ??= { remove: new Set(), put: new Map() };
    const { remove, put } = this.#batch;
    if (added) put.set(eventRecordId(added.n), recordOf(added.event));
    for (const id of dropped.map(eventRecordId)) if (!put.delete(id)) remove.add(id);
    for (const [key, fact] of facts) {
      const id = FACTS + key;
      if (fact) {
        put.set(id, fact);
      } else {
        put.delete(id);
        remove.add(id);
      }
    }
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = undefined;
    if (!batch) return;
    const { shelf, head, onWritten } = this.#options;
    const { last } = head();
    batch.put.set(HEAD, head());
    const written = shelf.write({ clear: [], remove: [...batch.remove], put: batch.put });
    // A failure is handled below in its turn, which may come later.
    written.catch(() => undefined);
    this.#tail = this.#tail.then(async () => {
      // An earlier write has failed: the events of this write have other ids by now.
      if (this.#state !== 'written') return;
      try {
        await written;
        onWritten(last);
      } catch (err) {
        this.#break(err);
      }
    });
  }

  #break(err: unknown): void {
    this.#options.logger.error({ err }, 'the log of events could not be stored; clients are sent a resync');
    this.#state = 'broken';
    this.#batch = undefined;
    this.#options.onBroken();
    const tail = this.#tail;
    this.#recovery = tail.then(() => this.#recover());
  }

  async #recover(): Promise<void> {
    const { signal } = this.#closing;
    const { pause = unhurried } = this.#options;
    const isOpen = true;
    while (!signal.aborted) {
      if (this.#state === 'broken' && (await this.#removeHead())) this.#state = 'memory';
      if (this.#state === 'memory') this.#release();
      await pause(EVENT_LOG_RETRY_MS, signal);
      if (!signal.aborted && (await this.#rewrite(isOpen))) return;
    }
  }

  /** Writes the whole log. Events that come meanwhile wait for the outcome, since the disk may have a head by then. */
  async #rewrite(isOpen: boolean): Promise<boolean> {
    const { head, events, facts } = this.#options.whole();
    const put = new Map<string, KeptLogRecord>([[HEAD, { ...head, isOpen }]]);
    for (const [n, event] of events) put.set(eventRecordId(n), recordOf(event));
    for (const [key, fact] of facts) put.set(FACTS + key, fact);
    this.#isRewriting = true;
    const isWritten = await this.#write({ clear: [EVENTS, FACTS], remove: [], put });
    this.#isRewriting = false;
    if (isWritten) {
      this.#state = 'written';
      this.#options.onWritten(head.last);
      this.#flush();
    } else {
      this.#batch = undefined;
      if (this.#state === 'memory') this.#release();
    }
    return isWritten;
  }

  #removeHead(): Promise<boolean> {
    return this.#write({ clear: [], remove: [HEAD], put: new Map() });
  }

  /** Resolves with whether the write has succeeded. The failure that led here is logged already. */
  async #write(changes: ShelfChanges<KeptLogRecord>): Promise<boolean> {
    try {
      await this.#options.shelf.write(changes);
      return true;
    } catch {
      return false;
    }
  }

  #release(): void {
    this.#options.onWritten(this.#options.head().last);
  }
}

/** Pauses without keeping the process alive. */
async function unhurried(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

function recordOf({ type, terminalId, labels, json }: LoggedEvent): KeptLogRecord {
  return { kind: 'event', type, ...(terminalId !== undefined && { terminalId }), labels, json };
}
