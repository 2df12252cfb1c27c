import type { LoggedEvent } from '../../actors/event-log/logged-event.js';
import { type EventPosition, eventIdOf } from '../../contract/service-event.js';

/** A comment, which clients ignore. */
export const HEARTBEAT = ': heartbeat\n\n';

/** Returns the frame of an event. JSON on one line holds no line break that would end the field. */
export function eventFrame(
  position: EventPosition,
  { type, json }: Pick<LoggedEvent, 'type' | 'json'>,
): string {
  return `id: ${eventIdOf(position)}\nevent: ${type}\ndata: ${json}\n\n`;
}

/** Returns the frame of an event without an id: it leaves the client's position as it is. */
export function passingFrame({ type, json }: Pick<LoggedEvent, 'type' | 'json'>): string {
  return `event: ${type}\ndata: ${json}\n\n`;
}

/**
 * Returns a frame that only moves the client's position: by the standard, a frame without data sets the last event id
 * and dispatches no event. The comment makes it a heartbeat, too.
 */
export function positionFrame(position: EventPosition): string {
  return `: heartbeat\nid: ${eventIdOf(position)}\n\n`;
}
