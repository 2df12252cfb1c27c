import { type Labels, matches } from '../../contract/labels.js';
import type { EventsQuery } from '../../contract/service-event.js';
import type { LoggedEvent } from './logged-event.js';

/** Filter of one client for events; an absent part excludes nothing. */
export type EventFilter = Pick<EventsQuery, 'types' | 'selector'> & {
  terminals?: ReadonlySet<string> | undefined;
  /** Returns whether the client may know of a terminal, with its labels at the time of the event. */
  sees?: ((id: string, labels: Labels) => boolean) | undefined;
};

/** Returns whether a client wants the event. Events of no terminal are left out where terminals are selected. */
export function wants(
  { types, terminals, selector, sees }: EventFilter,
  { type, terminalId, labels }: Pick<LoggedEvent, 'type' | 'terminalId' | 'labels'>,
): boolean {
  if (types && !types.has(type)) return false;
  if (terminalId === undefined) return !terminals && !selector && !sees;
  if (terminals && !terminals.has(terminalId)) return false;
  if (sees && !sees(terminalId, labels)) return false;
  return !selector || matches(labels, selector);
}
