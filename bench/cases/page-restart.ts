import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { MeasuredPage } from '../support/measured-page.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { medianOf } from '../support/rounds.js';
import { createWallFleet, VIEWPORT, WATCHED } from '../support/wall-fleet.js';

/** Milliseconds from the new service's ready line until the first tile, and all tiles, show its screens. */
interface Turn {
  first: number;
  all: number;
}

/** Kills and restarts the service with the wall open. Measures how soon the wall is live again without a reload. */
export async function pageRestart({ cleanup, progress, rounds, scale }: Bench): Promise<Row[]> {
  let service = await startOurs(cleanup);
  const url = service.dashboardUrl;
  if (url === undefined) throw new Error('the dashboard is not built: run npm run build');
  progress.note('creating terminals');
  const { watched, all } = await createWallFleet(cleanup, service, scale);
  const measured = await MeasuredPage.open(cleanup, VIEWPORT);
  await measured.page.goto(url + WATCHED);
  await measured.paintedAfter(watched);
  await measured.page.evaluate('window.isSamePage = true');
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round++) {
    progress.round(round + 1, rounds);
    const { home, kill }: OurService = service;
    await kill('SIGKILL');
    await measured.page.locator('.link', { hasText: 'connected' }).waitFor({ state: 'detached' });
    await measured.forgetPainted();
    service = await startOurs(cleanup, { home, args: ['--dashboard-port', new URL(url).port] });
    const readyAt = Date.now();
    const first = await measured.paintedAt(1);
    turns.push({ first: first - readyAt, all: (await measured.paintedAt(watched)) - readyAt });
    if (!(await measured.page.evaluate('window.isSamePage'))) throw new Error('the page was loaded again');
  }
  const what = `kill -9 with ${watched} tiles of ${all} terminals in view, from the ready line`;
  return [
    { name: `${what}: first tile`, value: medianOf(turns, ({ first }) => first), unit: 'ms' },
    {
      ...{ name: `${what}: all tiles`, value: medianOf(turns, (turn) => turn.all), unit: 'ms' },
      target: { value: { max: 2_000 } },
    },
  ];
}
