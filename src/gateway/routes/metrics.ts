import { Registry } from 'prom-client';
import { z } from 'zod';
import { scrape } from '../metrics/scrape.js';
import type { MetricsSources } from '../metrics/sources.js';
import type { App } from '../validation.js';

/** `GET /metrics`: the metrics of the service, for Prometheus. */
export function registerMetrics(app: App, sources: MetricsSources): void {
  app.get(
    '/metrics',
    {
      schema: {
        summary: 'Figures for Prometheus',
        description:
          'In the text format, version 0.0.4; names begin with `auto_terminal_`. Counters go on over restarts of a shard, not of the service.',
        tags: ['System'],
        response: { 200: { description: 'The figures', content: { 'text/plain': { schema: z.string() } } } },
      },
    },
    async (_request, reply) => reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await scrape(sources)),
  );
}
