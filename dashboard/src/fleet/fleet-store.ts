import { create } from 'zustand';
import type { TerminalView } from '../../../src/client/browser.js';
import { afterEvent, type FleetTerminal, type LiveEvent } from './after-event.js';

/** State of the page's connection to the service. */
export type Link = 'checking' | 'healthy' | 'offline';

interface FleetState {
  link: Link;
  /** All terminals, exited ones included, by id; the oldest first. */
  terminals: ReadonlyMap<string, FleetTerminal>;
}

export const useFleet = create<FleetState>(() => ({ link: 'checking', terminals: new Map() }));

export function setLink(link: Link): void {
  if (useFleet.getState().link !== link) useFleet.setState({ link });
}

/** Replaces the terminals by the service's list. An unchanged terminal stays the same object, so it is not drawn anew. */
export function setTerminals(views: readonly TerminalView[]): void {
  useFleet.setState(({ terminals: before }) => ({
    terminals: new Map(views.map((view) => [view.id, kept(before.get(view.id), view)])),
  }));
}

function kept(before: FleetTerminal | undefined, now: TerminalView): FleetTerminal {
  return before && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

/** Applies events, all with one change of the store. */
export function takeEvents(events: readonly LiveEvent[]): void {
  useFleet.setState(({ terminals: before }) => {
    const terminals = new Map(before);
    for (const event of events) afterEvent(terminals, event);
    return { terminals };
  });
}
