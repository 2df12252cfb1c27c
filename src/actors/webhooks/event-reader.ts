import { WEBHOOK_PLACE_EVERY } from '../../contract/limits.js';
import { type EventPosition, eventIdOf } from '../../contract/service-event.js';
import { type EventFilter, wants } from '../event-log/event-filter.js';
import type { EventLog } from '../event-log/event-log.js';
import type { LoggedEvent } from '../event-log/logged-event.js';
import type { DeliveryStore } from './delivery-store.js';
import { recordIdsOf } from './kept-webhook.js';

/** Something to deliver, with the place in the log behind it. */
export interface Message {
  messageId: string;
  type: string;
  terminalId: string | null;
  body: string;
  place: EventPosition;
}

export interface EventReaderOptions {
  webhookId: string;
  log: Pick<EventLog, 'epoch' | 'last' | 'at' | 'whyGone'>;
  store: Pick<DeliveryStore, 'read' | 'set'>;
}

/**
 * Reads the log of events for one webhook, at the pace of its receiver: nothing is queued but the log itself. A place
 * behind which events are missing gives one `resync`, as on the stream of events.
 */
export class EventReader {
  readonly #options: EventReaderOptions;
  readonly #id: string;
  #place: EventPosition;
  /** The place on disk. */
  #written: number;

  /** Goes on where an earlier service has stopped; a new webhook begins with the events from now on. */
  constructor(options: EventReaderOptions) {
    this.#options = options;
    this.#id = recordIdsOf(options.webhookId).place;
    const [left] = options.store.read(this.#id).map(([, record]) => record);
    this.#place = left?.kind === 'place' ? { epoch: left.epoch, n: left.n } : this.#end();
    this.#written = this.#place.n;
    if (left?.kind !== 'place') this.#write();
  }

  /** Events that have not been looked at. */
  get behind(): number {
    const { log } = this.#options;
    return this.#place.epoch === log.epoch ? Math.max(0, log.last - this.#place.n) : log.last;
  }

  /** Returns the next message; undefined if there is none yet. Events that the filter leaves out are passed. */
  next(filter: EventFilter): Message | undefined {
    const { log, webhookId } = this.#options;
    const gone = log.whyGone(this.#place);
    if (gone !== undefined) return this.#resync(gone);
    while (this.#place.n < log.last) {
      const place = { epoch: log.epoch, n: this.#place.n + 1 };
      const event = log.at(place.n);
      if (!event) return undefined;
      if (wants(filter, event) || isMatchFor(webhookId, event)) {
        const { type, terminalId = null } = event;
        const body = bodyOf(event);
        return { messageId: `evt_${eventIdOf(place)}`, type, terminalId, body, place };
      }
      this.#place = place;
      if (place.n - this.#written >= WEBHOOK_PLACE_EVERY) this.#write();
    }
    return undefined;
  }

  /** Moves on to this place: the events up to it are done. Never moves back. */
  pass(place: EventPosition): void {
    if (place.epoch === this.#place.epoch && place.n < this.#place.n) return;
    this.#place = place;
    this.#write();
  }

  /** Leaves out all events up to now. */
  skip(): void {
    this.pass(this.#end());
  }

  #write(): void {
    this.#written = this.#place.n;
    this.#options.store.set(this.#id, { kind: 'place', ...this.#place });
  }

  #end(): EventPosition {
    const { epoch, last } = this.#options.log;
    return { epoch, n: last };
  }

  #resync(reason: string): Message {
    const { log, webhookId } = this.#options;
    const start = { epoch: log.epoch, n: 0 };
    // All events of another epoch may be new to the receiver; where the log has dropped events, only later events are.
    const isNew = this.#place.epoch !== log.epoch && log.whyGone(start) === undefined;
    const place = isNew ? start : this.#end();
    const body = JSON.stringify({ type: 'resync', data: { reason }, timestamp: new Date().toISOString() });
    const messageId = `resync_${webhookId}_${eventIdOf(place)}`;
    return { messageId, type: 'resync', terminalId: null, body, place };
  }
}

/** Whether a watch has this webhook as its action. */
function isMatchFor(webhookId: string, { type, json }: LoggedEvent): boolean {
  if (type !== 'watch.matched') return false;
  const { data } = JSON.parse(json) as { data: { webhooks?: string[] } };
  return data.webhooks?.includes(webhookId) ?? false;
}

/** Returns the event as it is posted: without the line that a watch has found, which is output. */
function bodyOf({ type, json }: LoggedEvent): string {
  if (type !== 'watch.matched') return json;
  const { data, ...event } = JSON.parse(json) as { data: Record<string, unknown> };
  const { text: _, webhooks: __, ...posted } = data;
  return JSON.stringify({ ...event, data: posted });
}
