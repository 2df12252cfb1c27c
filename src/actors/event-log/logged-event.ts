import type { Labels } from '../../contract/labels.js';
import { EVENT_OVERHEAD_BYTES } from '../../contract/limits.js';
import type { KeptEvent, PassingEvent } from '../../contract/service-event.js';

/** An event in the log. */
export interface LoggedEvent {
  type: string;
  /** Undefined for an event of the service itself. */
  terminalId: string | undefined;
  /** Labels of the terminal at the time of the event. */
  labels: Labels;
  /** The event as clients get it: JSON on one line. */
  json: string;
  /** Bytes that count towards the bound of the log. */
  bytes: number;
}

/** Returns an event as it is logged, with the present time. */
export function loggedEvent(event: KeptEvent | PassingEvent, labels: Labels): LoggedEvent {
  const json = JSON.stringify({ ...event, timestamp: new Date().toISOString() });
  return withBytes({ type: event.type, terminalId: event.terminalId, labels, json });
}

export function withBytes(event: Omit<LoggedEvent, 'bytes'>): LoggedEvent {
  const texts = Buffer.byteLength(event.json) + Buffer.byteLength(JSON.stringify(event.labels));
  return { bytes: texts + EVENT_OVERHEAD_BYTES, ...event };
}
