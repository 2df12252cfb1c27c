import { QueryClient } from '@tanstack/react-query';
import { useFleet } from '../fleet/fleet-store.js';

/** Cache of the service's answers to pages. Failed requests are not repeated by themselves: the page reports the failure. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true } },
});

// Events are not sent again: whatever changed without a connection, also before the first, is only in the service's answers.
useFleet.subscribe(({ link }, before) => {
  if (link === 'healthy' && before.link !== link) void queries.invalidateQueries();
});
