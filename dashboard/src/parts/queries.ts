import { QueryClient } from '@tanstack/react-query';

/** Cache of the service's answers to pages. Failed requests are not repeated by themselves: the page reports the failure. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true } },
});
