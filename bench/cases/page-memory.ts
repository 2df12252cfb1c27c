import { setTimeout as delay } from 'node:timers/promises';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { MeasuredPage } from '../support/measured-page.js';
import { memoryOf } from '../support/memory.js';
import { startOurs } from '../support/our-service.js';
import { trendOf } from '../support/trend.js';
import { createWallFleet, VIEWPORT, WATCHED } from '../support/wall-fleet.js';

const SAMPLE_MS = 10_000;
const MB = 1e6;

/** Leaves the wall open for some minutes, and samples the memory of its page. Runs once, whatever the rounds. */
export async function pageMemory({ cleanup, progress, minutes, scale }: Bench): Promise<Row[]> {
  const service = await startOurs(cleanup);
  if (service.dashboardUrl === undefined) throw new Error('the dashboard is not built: run npm run build');
  progress.note('creating terminals');
  const { watched, all } = await createWallFleet(cleanup, service, scale);
  const measured = await MeasuredPage.open(cleanup, VIEWPORT);
  await measured.page.goto(service.dashboardUrl + WATCHED);
  await measured.paintedAfter(watched);
  const samples: Array<{ at: number; script: number; process: number }> = [];
  const begin = performance.now();
  const seconds = () => (performance.now() - begin) / 1_000;
  while (seconds() < minutes * 60) {
    await delay(SAMPLE_MS);
    const script = (await measured.heapBytes()) / MB;
    samples.push({ at: seconds(), script, process: memoryOf([await measured.rendererPid()]).pss / MB });
    progress.note(`${(seconds() / 60).toFixed(1)} of ${minutes} min: ${script.toFixed(1)} MB of JavaScript`);
  }
  const name = `a wall of ${watched} tiles and ${all} terminals, open for ${minutes} min`;
  return (['script', 'process'] as const).flatMap((kind): Row[] => {
    const { first, second, perHour } = trendOf(
      samples.map((sample) => ({ at: sample.at, value: sample[kind] })),
    );
    const what = kind === 'script' ? 'JavaScript of the page' : 'process of the page';
    return [
      {
        name: `${name}: ${what}, second half`,
        value: second,
        unit: 'MB',
        peer: { name: 'the first half', value: first },
        target: { value: { max: 200 } },
      },
      { name: `${name}: ${what}, slope in the second half`, value: perHour, unit: 'MB/h' },
    ];
  });
}
