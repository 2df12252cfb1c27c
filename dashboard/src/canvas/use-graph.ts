import { useQuery } from '@tanstack/react-query';
import { useServiceEvents } from '../fleet/event-bus.js';
import { queries } from '../parts/queries.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';

const KEY = ['canvas'];
const reload = () => void queries.invalidateQueries({ queryKey: KEY });

/** Returns the terminals and connections as the service keeps them, which other windows and agents change, too. */
export function useGraph() {
  useServiceEvents('canvas.changed', reload);
  useServiceEvents('terminal.', ({ type }) => {
    if (['terminal.created', 'terminal.exited', 'terminal.removed', 'terminal.updated'].includes(type))
      reload();
  });
  return useQuery({ queryKey: KEY, queryFn: ({ signal }) => service.canvas.graph({ signal }) });
}

/** Waits for a change of the canvas, reports a failure, and then shows the service's state. */
export async function changeCanvas(what: string, work: Promise<unknown>): Promise<boolean> {
  const isDone = await attempt(what, work);
  reload();
  return isDone;
}
