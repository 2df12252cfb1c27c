import { useQuery } from '@tanstack/react-query';
import type { WebhookInfo } from '../../../src/client/browser.js';
import { service } from '../service.js';

const REFRESH_MS = 5_000;

interface Webhooks {
  webhooks: readonly WebhookInfo[] | undefined;
  error: unknown;
  again: () => void;
}

/** Returns the webhooks, which change by themselves with each delivery. */
export function useWebhooks(): Webhooks {
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => service.webhooks.list({ signal }),
    refetchInterval: REFRESH_MS,
  });
  return { webhooks: data, error, again: () => void refetch() };
}
