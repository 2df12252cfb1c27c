import type { Row } from '../report.js';
import { alternate } from '../support/alternate.js';
import type { Bench } from '../support/bench.js';
import { executed, startFleetPair } from '../support/fleet-pair.js';
import { percentile } from '../support/stats.js';

/** Warm-up calls of each kind, until the code is compiled, as in a machine that has served a fleet for some minutes. */
const WARM_UP = 1_000;
const EXECUTIONS = 1_000;
const READS = 2_000;

/** Most milliseconds that the way to another machine may add. */
const WANTED = { p50: 2, p99: 10 };

/** Measures requests that the hub routes to another machine over the loopback, beside the same requests made there. */
export async function routed({ cleanup, progress, scale }: Bench): Promise<Row[]> {
  const { hub, other, terminalId } = await startFleetPair(cleanup);
  const path = `/terminals/${terminalId}`;
  const read = async ({ api }: typeof hub, base: string) => {
    const { status } = await api.get(`${base}${path}`);
    if (status !== 200) throw new Error(`${base}${path} answered ${status}`);
  };
  const kinds = [
    {
      ...{ name: 'execute', count: EXECUTIONS },
      here: () => executed(hub, { terminalId, machineId: other.id }),
      there: () => executed(other, { terminalId }),
    },
    {
      ...{ name: 'GET of a terminal', count: READS },
      here: () => read(hub, `/api/machines/${other.id}`),
      there: () => read(other, '/api'),
    },
  ];
  const rows: Row[] = [];
  for (const { name, count, here, there } of kinds) {
    progress.note(`${name}, to warm up`);
    await alternate({ here, there }, Math.ceil(WARM_UP * scale));
    progress.note(name);
    const times = await alternate({ here, there }, Math.ceil(count * scale));
    for (const percent of [50, 99] as const) {
      const [ours, local] = [percentile(times.here, percent), percentile(times.there, percent)];
      rows.push(
        {
          name: `${name}, routed: p${percent}`,
          value: ours,
          unit: 'ms',
          peer: { name: 'asked there', value: local },
        },
        {
          ...{ name: `${name}, routed less local: p${percent}`, value: ours - local, unit: 'ms' },
          ...(name === 'execute' && { target: { value: { max: WANTED[`p${percent}`] } } }),
        },
      );
    }
  }
  return rows;
}
