import { QueryClient } from '@tanstack/react-query';

/** What pages have asked the service for. Nothing is asked for again by itself on a failure: the page says so. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true } },
});
