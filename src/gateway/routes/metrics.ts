import { Registry } from 'prom-client';
import { z } from 'zod';
import { needs } from '../access/needs.js';
import { scrape } from '../metrics/scrape.js';
import type { MetricsSources } from '../metrics/sources.js';
import type { App } from '../validation.js';

/** `GET /metrics`: the metrics of the service, for Prometheus. */
export function registerMetrics(app: App, sources: MetricsSources): void {
  app.get(
    '/metrics',
    {
      config: needs('read', 'whole'),
      schema: {
        summary: 'Get metrics for Prometheus',
        description:
          'The text format, version 0.0.4. All names begin with `auto_terminal_`. Counters continue over ' +
          'restarts of a shard, but not of the service.',
        tags: ['System'],
        response: { 200: { description: 'The metrics', content: { 'text/plain': { schema: z.string() } } } },
      },
    },
    async (_request, reply) => reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await scrape(sources)),
  );
}
