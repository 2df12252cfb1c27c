import type { Logger } from 'pino';
import { EventLog } from '../actors/event-log/event-log.js';
import { EVENT_LOG_CODEC } from '../actors/event-log/kept-log.js';
import { MAX_EVENTS, MAX_EVENTS_BYTES } from '../contract/limits.js';
import { EVENT_LOG_NAME, type Store } from '../store/store.js';
import { readBootId } from '../workers/boot-id.js';

/** Opens the log of events. */
export function openEventLog(store: Store, logger: Logger): Promise<EventLog> {
  return EventLog.open({
    shelf: store.shelf(EVENT_LOG_NAME, EVENT_LOG_CODEC),
    boot: readBootId() || null,
    maxEvents: MAX_EVENTS,
    maxBytes: MAX_EVENTS_BYTES,
    logger,
  });
}
