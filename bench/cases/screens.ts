import { setTimeout as delay } from 'node:timers/promises';
import { watch } from '../../test/support/http.js';
import { eventually } from '../../test/support/processes.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { metered } from '../support/cpu.js';
import { createMixedFleet } from '../support/mixed-fleet.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { inRounds, medianOf } from '../support/rounds.js';

const FPS = 2;
const SETTLE_MS = 2_000;
const MEASURE_MS = 10_000;
const KB = 1024;

interface Turn {
  /** CPU of service and pty host, in % of a core. */
  percent: number;
  /** Frames that the client got in a second, and their bytes. */
  frames: number;
  bytes: number;
}

/** Measures a client that watches the screens of 100 terminals, compared with the same terminals without it. */
export async function screens(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const service = await startOurs(cleanup);
  const ids = await createMixedFleet(cleanup, service.url, scale);
  await delay(SETTLE_MS);
  const sides = { watched: () => turn(service, ids), none: () => turn(service, []) };
  const { watched, none } = await inRounds(bench, sides);
  const what = `screens of ${ids.length} terminals at ${FPS} a second`;
  return [
    {
      ...{ name: `${what}: CPU`, value: medianOf(watched, ({ percent }) => percent), unit: '% of a core' },
      peer: { name: 'the same terminals, no client', value: medianOf(none, ({ percent }) => percent) },
    },
    {
      name: `${what}: CPU for the client`,
      value: medianOf(watched, ({ percent }) => percent) - medianOf(none, ({ percent }) => percent),
      unit: '% of a core',
      target: { value: { max: 10 } },
    },
    { name: `${what}: frames`, value: medianOf(watched, ({ frames }) => frames), unit: '/s' },
    { name: `${what}: sent`, value: medianOf(watched, ({ bytes }) => bytes / KB), unit: 'KB/s' },
  ];
}

async function turn({ url, pids }: OurService, ids: readonly string[]): Promise<Turn> {
  const client = await watch(url, 'screens=1&output=0');
  if (ids.length > 0) {
    const views = ids.map((terminalId) => ({ terminalId, fps: FPS }));
    client.send({ type: 'command', payload: { action: 'screens:watch', views } });
    const drawn = () => new Set(client.frames.map(({ event }) => event?.terminalId)).size > ids.length;
    await eventually('all screens have come', drawn);
  }
  await delay(SETTLE_MS);
  client.frames.length = 0;
  const { cpu, seconds } = await metered(pids, () => delay(MEASURE_MS));
  const frames = client.frames.filter(({ event }) => event?.type === 'screen.rows');
  await client.close();
  return {
    percent: (cpu / seconds) * 100,
    frames: frames.length / seconds,
    bytes: frames.reduce((sum, frame) => sum + JSON.stringify(frame).length, 0) / seconds,
  };
}
