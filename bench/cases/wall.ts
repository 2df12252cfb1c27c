import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { metered } from '../support/cpu.js';
import { MeasuredPage } from '../support/measured-page.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { percentile } from '../support/stats.js';
import { createWallFleet, VIEWPORT, WATCHED } from '../support/wall-fleet.js';

const SETTLE_MS = 3_000;
const MEASURE_MS = 10_000;
const KEYS = 200;
const MB = 1024 * 1024;

interface Turn {
  first: number;
  all: number;
  page: number;
  longestTask: number;
  /** CPU of service and pty host, in % of a core. */
  service: number;
  frames: number;
  heap: number;
}

/** Measures the wall with 1,000 terminals, 100 of them in view, and how soon a key shows on the page of a terminal. */
export async function wall(bench: Bench): Promise<Row[]> {
  const { cleanup, scale, progress } = bench;
  const service = await startOurs(cleanup);
  if (service.dashboardUrl === undefined) throw new Error('the dashboard is not built: run npm run build');
  progress.note('creating terminals');
  const { watched, all } = await createWallFleet(cleanup, service, scale);
  const measured = await MeasuredPage.open(cleanup, VIEWPORT);
  const url = service.dashboardUrl;
  const { wall: turns, none } = await inRounds(bench, {
    wall: () => turn(measured, service, url, watched),
    none: () => idle(measured, service),
  });
  const keys = await keyTimes(measured.page, service, url);
  const what = `${watched} tiles of ${all} terminals`;
  const of = (figure: (turn: Turn) => number) => medianOf(turns, figure);
  return [
    {
      name: `${what}: first tile`,
      value: of(({ first }) => first),
      unit: 'ms',
      target: { value: { max: 500 } },
    },
    {
      name: `${what}: all tiles`,
      value: of((turn) => turn.all),
      unit: 'ms',
      target: { value: { max: 1_000 } },
    },
    {
      ...{ name: `${what}: CPU of the browser`, value: of(({ page }) => page), unit: '% of a core' },
      target: { value: { max: 25 } },
    },
    {
      name: `${what}: CPU of the service for the page`,
      value: of(({ service: percent }) => percent) - medianOf(none, (percent) => percent),
      unit: '% of a core',
      target: { value: { max: 10 } },
    },
    {
      ...{ name: `${what}: longest task`, value: of(({ longestTask }) => longestTask), unit: 'ms' },
      target: { value: { max: 50 } },
    },
    {
      ...{ name: `${what}: frames while scrolling`, value: of(({ frames }) => frames), unit: '/s' },
      target: { value: { min: 30 } },
    },
    { name: `${what}: memory of its JavaScript`, value: of(({ heap }) => heap / MB), unit: 'MB' },
    {
      ...{ name: 'a key until its glyph is in the page: p50', value: percentile(keys, 50), unit: 'ms' },
      target: { value: { max: 20 } },
    },
    {
      ...{ name: 'a key until its glyph is in the page: p95', value: percentile(keys, 95), unit: 'ms' },
      target: { value: { max: 50 } },
    },
  ];
}

async function turn(measured: MeasuredPage, service: OurService, url: string, count: number): Promise<Turn> {
  const { page } = measured;
  await page.goto(url + WATCHED);
  const first = await measured.paintedAfter(1);
  const all = await measured.paintedAfter(count);
  await delay(SETTLE_MS);
  const { result, cpu, seconds } = await metered(service.pids, () =>
    measured.metered(() => delay(MEASURE_MS)),
  );
  const heap = await measured.heapBytes();
  await page.goto(`${url}/?size=m`);
  await delay(SETTLE_MS);
  return {
    first,
    all,
    page: result.percent,
    longestTask: result.longestTask,
    service: (cpu / seconds) * 100,
    frames: await scrolled(page),
    heap,
  };
}

/** Resolves with the CPU of service and pty host without a page, in % of a core. */
async function idle({ page }: MeasuredPage, { pids }: OurService): Promise<number> {
  await page.goto('about:blank');
  await delay(SETTLE_MS);
  const { cpu, seconds } = await metered(pids, () => delay(MEASURE_MS));
  return (cpu / seconds) * 100;
}

/** Scrolls the wall for three seconds. Resolves with the frames a second that the browser draws meanwhile. */
function scrolled(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const wall = document.querySelector('.wall-scroll');
    const begin = performance.now();
    let frames = 0;
    const step = (now) => {
      frames++;
      wall.scrollTop += 24;
      if (now - begin < 3000) requestAnimationFrame(step);
      else resolve(frames / ((now - begin) / 1000));
    };
    requestAnimationFrame(step);
  })`);
}

/** Resolves with the milliseconds from each key's event until the page has its glyph, in a terminal at rest. */
async function keyTimes(page: Page, service: OurService, url: string): Promise<number[]> {
  const { body } = await service.api.post<{ id: string }>('/api/terminals', { command: ['cat'] });
  await page.goto(`${url}/t/${body.id}`);
  await page.locator('.xterm-rows').waitFor();
  await page.evaluate(`
    window.keyTimes = [];
    let pressed;
    addEventListener('keydown', () => { pressed = performance.now(); }, { capture: true });
    new MutationObserver(() => {
      if (pressed === undefined) return;
      window.keyTimes.push(performance.now() - pressed);
      pressed = undefined;
    }).observe(document.querySelector('.xterm-rows'), { childList: true, characterData: true, subtree: true });
  `);
  await page.locator('.xterm-helper-textarea').focus();
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press('abcdefgh'[key % 8]!);
    await delay(60);
  }
  return page.evaluate<number[]>('window.keyTimes');
}
