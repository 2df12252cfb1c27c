import { useEffect, useRef } from 'react';
import type { LiveEvent } from './after-event.js';

type Listener = (event: LiveEvent) => void;

const listeners = new Set<Listener>();

/** Passes an event of the service to the parts of the page that listen. */
export function tellEvent(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}

/** Calls `onEvent` with each event of the service whose type begins with `prefix`, while the component is shown. */
export function useServiceEvents(prefix: string, onEvent: Listener): void {
  const current = useRef(onEvent);
  current.current = onEvent;
  useEffect(() => {
    const listener = (event: LiveEvent) => {
      if (event.type.startsWith(prefix)) current.current(event);
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [prefix]);
}
