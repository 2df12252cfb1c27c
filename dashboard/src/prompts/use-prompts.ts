import { useQuery } from '@tanstack/react-query';
import type { PromptInfo } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { queries } from '../parts/queries.js';
import { service } from '../service.js';
import { isWaiting, untilDue } from './prompt-words.js';

/** Events within this time cause one request: each key that a person types is an event. */
const GATHER_MS = 200;
/** Events after which a prompt may wait for something else, without an event of its own. */
const CHANGES = /^(?:agent\.status|command\.|input\.changed)/;

const refreshing = new Set<string>();

const keyOf = (terminalId: string) => ['prompts', terminalId];

/** Reads the prompts of a terminal anew: once for all the events of a moment. */
export function refreshPrompts(terminalId: string): void {
  if (refreshing.has(terminalId)) return;
  refreshing.add(terminalId);
  setTimeout(() => {
    refreshing.delete(terminalId);
    void queries.invalidateQueries({ queryKey: keyOf(terminalId) });
  }, GATHER_MS);
}

/** Returns the prompts of a terminal, in the order in which they were queued; follows the events of the service. */
export function usePrompts(terminalId: string): { prompts: PromptInfo[] | undefined; error: unknown } {
  const { data: prompts, error } = useQuery({
    queryKey: keyOf(terminalId),
    queryFn: ({ signal }) => service.terminals.get(terminalId).prompts.list({ signal }),
    refetchInterval: ({ state }) => untilDue(state.data ?? [], Date.now()),
    staleTime: 0,
  });
  useServiceEvents('', ({ type, terminalId: id }) => {
    if (id !== terminalId) return;
    if (type.startsWith('prompt.') || (CHANGES.test(type) && prompts?.some(isWaiting)))
      refreshPrompts(terminalId);
  });
  return { prompts, error };
}
