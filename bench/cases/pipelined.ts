import { once } from 'node:events';
import { connect } from 'node:net';
import { setInterval as every } from 'node:timers/promises';
import { residentBytes } from '../../test/support/processes.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { inRounds, medianOf } from '../support/rounds.js';

const REQUESTS = 30_000;
const PATH = '/openapi.json';
const PING_MS = 50;
const PINGS = 100;
/** Warm-up requests, so that the heap has grown to the size that answers need. */
const WARM_UP = 500;
const MB = 1e6;
const MAX_MS = 100;
const MAX_BYTES = 32 * 1024 * 1024;

/** Measures other clients' latency, and memory, beside a client that pipelines many requests and reads no answer. */
export async function pipelined(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const service = await startOurs(cleanup, { flags: ['--max-semi-space-size=2'] });
  for (let count = 0; count < WARM_UP; count++) await service.api.get(PATH);
  const requests = Math.round(REQUESTS * scale);
  const { alone, beside } = await inRounds(bench, {
    alone: () => pinged(service),
    beside: async () => {
      const { hostname, port, host } = new URL(service.url);
      const client = connect(Number(port), hostname).pause();
      await once(client, 'connect');
      const result = pinged(service);
      client.write(`GET ${PATH} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(requests));
      await result.finally(() => client.destroy());
      return result;
    },
  });
  const worst = ({ worstMs }: Pinged) => worstMs;
  const where = `beside ${requests} pipelined GET ${PATH} that nobody reads`;
  return [
    {
      name: `worst GET /health each ${PING_MS} ms ${where}`,
      value: medianOf(beside, worst),
      unit: 'ms',
      peer: { name: 'without them', value: medianOf(alone, worst) },
      target: { value: { max: MAX_MS } },
    },
    {
      name: `service memory ${where}`,
      value: medianOf(beside, ({ grownBytes }) => grownBytes) / MB,
      unit: 'MB',
      target: { value: { max: MAX_BYTES / MB } },
      note: 'peak resident meanwhile, less what it was before',
    },
  ];
}

interface Pinged {
  worstMs: number;
  grownBytes: number;
}

async function pinged({ api, pid }: OurService): Promise<Pinged> {
  const before = residentBytes(pid);
  let [worstMs, peak, left] = [0, before, PINGS];
  for await (const _tick of every(PING_MS)) {
    const begin = performance.now();
    await api.get('/health');
    worstMs = Math.max(worstMs, performance.now() - begin);
    peak = Math.max(peak, residentBytes(pid));
    if (--left === 0) break;
  }
  return { worstMs, grownBytes: peak - before };
}
