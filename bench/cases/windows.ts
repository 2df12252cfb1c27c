import type { Page } from 'playwright-core';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { MeasuredPage } from '../support/measured-page.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { percentile } from '../support/stats.js';
import { createWallFleet } from '../support/wall-fleet.js';

const VIEWPORT = { width: 1280, height: 800 };
const CHANGES = 10;
const LIMIT_MS = 1_000;

/** One kind of change, made in one window and seen in another one. */
interface Change {
  what: string;
  path: string;
  /** Prepares the window in which the change is made. */
  begin: (page: Page, count: number) => Promise<void>;
  /** Keys that make the change, pressed in turn. */
  keys: [string, ...string[]];
  /** JavaScript expression whose text differs after the change. */
  shown: string;
}

/** Measures how soon another window of the dashboard shows a change that is made in one window. */
export async function windows({ cleanup, progress, scale }: Bench): Promise<Row[]> {
  const service = await startOurs(cleanup);
  const url = service.dashboardUrl;
  if (url === undefined) throw new Error('the dashboard is not built: run npm run build');
  progress.note('creating terminals');
  const { all } = await createWallFleet(cleanup, service, scale);
  const { page: one } = await MeasuredPage.open(cleanup, VIEWPORT);
  const { page: two } = await MeasuredPage.open(cleanup, VIEWPORT);
  const rows: Row[] = [];
  for (const change of await changesIn(service)) {
    const times: number[] = [];
    for (const page of [one, two]) await page.goto(url + change.path);
    for (let count = 0; count < CHANGES; count++) {
      progress.note(`${change.what}: change ${count + 1} of ${CHANGES}`);
      await change.begin(one, count);
      const seen = await watchFor(two, change.shown);
      const begin = Date.now();
      await one.keyboard.press(change.keys[count % change.keys.length]!);
      times.push((await seen()) - begin);
    }
    const name = `a change in one window until another shows it, ${all} terminals: ${change.what}`;
    const target = { value: { max: LIMIT_MS } };
    rows.push({ name: `${name}, median of ${CHANGES}`, value: percentile(times, 50), unit: 'ms', target });
    rows.push({ name: `${name}, slowest`, value: Math.max(...times), unit: 'ms', target });
  }
  return rows;
}

async function changesIn({ api }: OurService): Promise<Change[]> {
  const { body } = await api.get<{ terminals: Array<{ id: string; name: string }> }>('/api/terminals');
  const [named] = body.terminals;
  const { tabs } = (await api.get<{ tabs: Array<{ id: string }> }>('/api/layout')).body;
  const node = '.react-flow__node';
  const heading = '.terminal-name';
  return [
    {
      what: 'a setting',
      path: '/settings',
      begin: (page, count) => page.getByLabel('Scrollback').fill(String(3_001 + count)),
      keys: ['Enter'],
      shown: `[...document.querySelectorAll('label')].find((each) => each.textContent.startsWith('Scrollback'))?.control?.value`,
    },
    {
      what: 'a name',
      path: `/t/${named!.id}`,
      begin: async (page, count) => {
        await page.locator(`${heading} button`).click();
        await page.keyboard.press('Control+a');
        await page.keyboard.type(`renamed ${count}`);
      },
      keys: ['Enter'],
      shown: `document.querySelector('${heading}')?.textContent`,
    },
    {
      what: 'a place on the canvas',
      path: '/canvas',
      begin: async (page, count) => {
        await page.locator(node).first().focus();
        if (count === 0) await page.keyboard.press('Enter');
      },
      keys: ['Shift+ArrowRight'],
      shown: `document.querySelector('${node}')?.style.transform`,
    },
    {
      what: 'the sizes of panes',
      path: `/w/${tabs[0]!.id}`,
      begin: async (page) => {
        if ((await page.locator('.pane').count()) < 2) {
          await page.getByRole('button', { name: 'split →' }).click();
          await page.locator('.choices button').first().click();
        }
        await page.getByRole('separator').focus();
      },
      keys: ['ArrowRight', 'ArrowLeft'],
      shown: `document.querySelector('.pane')?.getBoundingClientRect().width`,
    },
  ];
}

/**
 * Begins to watch a page once `shown` has a text there. Resolves with a function that resolves with the time at which
 * the text has changed.
 */
async function watchFor(page: Page, shown: string): Promise<() => Promise<number>> {
  await page.evaluate(`new Promise((resolve) => {
    const text = () => String(${shown});
    const look = (isSo, then) => (isSo() ? then() : setTimeout(() => look(isSo, then), 5));
    look(() => text() !== 'undefined', () => {
      const before = text();
      window.changedAt = new Promise((changed) => look(() => text() !== before, () => changed(Date.now())));
      resolve();
    });
  })`);
  return () => page.evaluate<number>('window.changedAt');
}
