import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { startOurs } from '../support/our-service.js';
import { median, percentile } from '../support/stats.js';

/** Writes of one round, half of them with the log. */
const WRITES = 2_000;
/** Consecutive writes with the same setting: few, so that both settings meet the same machine load. */
const STRETCH = 100;

/** Types by requests one after the other, with the audit log on and off in turn. */
export async function audit({ cleanup, progress, rounds, scale }: Bench): Promise<Row[]> {
  const { api } = await startOurs(cleanup);
  const { body } = await api.post<{ id: string }>('/api/terminals', {
    command: ['sh', '-c', 'stty raw -echo; exec cat > /dev/null'],
  });
  const path = `/api/terminals/${body.id}/input`;
  const times: Record<'on' | 'off', number[]> = { on: [], off: [] };
  for (let round = 0; round < rounds; round++) {
    progress.round(round + 1, rounds);
    for (let done = 0; done < WRITES * scale; done += 2 * STRETCH) {
      for (const log of ['off', 'on'] as const) {
        await api.patch('/api/settings', { audit: { enabled: log === 'on' } });
        for (let write = 0; write < STRETCH; write++) {
          const begin = performance.now();
          await api.post(path, { data: 'x' });
          times[log].push(performance.now() - begin);
        }
      }
    }
  }
  const rowOf = (name: string, of: (values: number[]) => number): Row => ({
    ...{ name: `a write by request with the audit log, ${name}`, value: of(times.on), unit: 'ms' },
    peer: { name: 'the same without the log', value: of(times.off) },
  });
  return [rowOf('p50', median), rowOf('p99', (values) => percentile(values, 99))];
}
