import { QueryCache, QueryClient } from '@tanstack/react-query';
import { DeniedError } from '../../../src/client/browser.js';
import { useFleet } from '../fleet/fleet-store.js';

/** Key of whether this browser has a session. */
export const SESSION_KEY = ['session'];

/** Asks anew whether this browser has a session, if a request was refused for want of one: it may have ended meanwhile. */
export function noteRefusal(error: unknown): void {
  if (error instanceof DeniedError && error.status === 401)
    void queries.invalidateQueries({ queryKey: SESSION_KEY }, { cancelRefetch: false });
}

/**
 * Cache of the service's answers to pages. Failed requests are not repeated by themselves: the page reports the failure.
 * An answer is asked for anew wherever it is shown again: while it was not shown, it followed no events.
 */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  defaultOptions: { queries: { retry: false, staleTime: 0, refetchOnWindowFocus: true } },
});

// Events are not sent again: whatever changed without a connection, also before the first, is only in the service's answers.
useFleet.subscribe(({ link }, before) => {
  if (link === 'healthy' && before.link !== link) void queries.invalidateQueries();
});
