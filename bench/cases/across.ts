import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { startFleetEnds } from '../support/fleet-ends.js';
import { inRounds, medianOf } from '../support/rounds.js';

const BYTES = 400_000_000;
const WARM_UP_BYTES = 50_000_000;
const MB = 1e6;

/** Measures one stream between two machines over the loopback with TLS, compared with a bare NATS stream. */
export async function across(bench: Bench): Promise<Row[]> {
  const { cleanup, scale, progress } = bench;
  const bytes = Math.round(BYTES * scale);
  const { ours, bare } = await startFleetEnds(cleanup);
  progress.note('warms up');
  await ours(WARM_UP_BYTES);
  await bare(WARM_UP_BYTES);
  const runs = await inRounds(bench, { ours: () => ours(bytes), bare: () => bare(bytes) });
  const speed = ({ seconds }: { seconds: number }) => bytes / MB / seconds;
  return [
    {
      ...{ name: 'a stream between two machines', unit: 'MB/s', value: medianOf(runs.ours, speed) },
      peer: { name: 'bare NATS with the same window', value: medianOf(runs.bare, speed) },
      cpu: { ours: medianOf(runs.ours, ({ cpu }) => cpu), peer: medianOf(runs.bare, ({ cpu }) => cpu) },
      target: { ratio: { min: 0.7 }, value: { min: 60 } },
    },
  ];
}
