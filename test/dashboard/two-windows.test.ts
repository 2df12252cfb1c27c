import { beforeAll, describe, expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();
let id: string;
beforeAll(async () => {
  id = (await used.api.post<{ id: string }>('/api/terminals', { name: 'before' })).body.id;
});

/** Opens two windows on the same page. */
async function windows(path: string) {
  const [one, two] = [await used.open(path), await used.open(path)];
  return { one, two, close: () => Promise.all([one.context().close(), two.context().close()]) };
}

describe('what one window changes, the other shows', () => {
  test('settings', async () => {
    const { one, two, close } = await windows('/settings');
    const scrollback = '4321';
    for (const page of [one, two]) await page.getByLabel('Scrollback').waitFor();
    await one.getByLabel('Scrollback').fill(scrollback);
    await one.keyboard.press('Enter');
    await expect.poll(() => two.getByLabel('Scrollback').inputValue()).toBe(scrollback);
    await close();
  });

  test('the canvas: places and groups', async () => {
    const { one, two, close } = await windows('/canvas');
    const node = `.react-flow__node[data-id="${id}"]`;
    for (const page of [one, two]) await page.locator(node).waitFor();
    type Graph = { nodes: Array<{ terminal?: { id: string }; id?: string; x?: number }> };
    const places = async () => JSON.stringify((await used.api.get<Graph>('/api/canvas/graph')).body);
    const before = await places();
    const transform = () => two.locator(node).getAttribute('style');
    const shown = await transform();
    await one.locator(node).focus();
    await one.keyboard.press('Enter');
    await one.keyboard.press('Shift+ArrowRight');
    await expect.poll(places).not.toBe(before);
    await expect.poll(transform).not.toBe(shown);
    await one.getByRole('button', { name: 'New group' }).click();
    await two.locator('.react-flow__node-group-area').waitFor();
    await close();
  });

  test('the layout: panes side by side, and a tab of its own', async () => {
    await used.api.post('/api/terminals', { name: 'beside' });
    const { tabs } = (await used.api.get<{ tabs: Array<{ id: string }> }>('/api/layout')).body;
    const { one, two, close } = await windows(`/w/${tabs[0]!.id}`);
    for (const page of [one, two]) await page.locator('.pane').waitFor();
    await one.getByRole('button', { name: 'split →' }).click();
    await one.getByRole('button', { name: 'beside' }).click();
    await expect.poll(() => two.locator('.pane').count()).toBe(2);
    const width = async () => (await two.locator('.pane').first().boundingBox())?.width ?? 0;
    const before = await width();
    await one.getByRole('separator').focus();
    await one.keyboard.press('ArrowRight');
    await expect.poll(width).toBeGreaterThan(before);
    await one.getByRole('button', { name: 'own tab for beside' }).click();
    await expect.poll(() => two.locator('.pane').count()).toBe(1);
    await close();
  });

  test('names and labels', async () => {
    const { one, two, close } = await windows(`/t/${id}`);
    const wall = await used.open('/?q=role=named');
    await wall.locator('.link', { hasText: 'connected' }).waitFor();
    await one.getByRole('button', { name: 'before' }).click();
    await one.keyboard.press('Control+a');
    await one.keyboard.type('after\n');
    await two.getByRole('button', { name: 'after' }).waitFor();
    await used.api.patch(`/api/terminals/${id}`, { labels: { role: 'named' } });
    await wall.getByRole('gridcell', { name: /after/ }).waitFor();
    await wall.context().close();
    await close();
  });
});

test('a terminal that is created elsewhere takes no keys from the tab of a workspace', async () => {
  const page = await used.open('/w');
  await page.getByRole('button', { name: /^Type into/ }).click();
  await page.getByText('keys go to the terminal').waitFor();
  const tabs = page.locator('.tab-list li');
  const before = await tabs.count();
  await used.api.post('/api/terminals', { name: 'elsewhere' });
  await expect.poll(() => tabs.count()).toBe(before + 1);
  await page.getByText('keys go to the terminal').waitFor();
  expect(await page.locator('.pane').getAttribute('aria-label')).not.toBe('elsewhere');
  await page.context().close();
});

test('a workspace without terminals shows the next terminal, also after the tab that it showed has gone', async () => {
  const remove = async () => {
    const { terminals } = (await used.api.get<{ terminals: Array<{ id: string }> }>('/api/terminals')).body;
    await Promise.all(terminals.map((terminal) => used.api.delete(`/api/terminals/${terminal.id}`)));
  };
  await remove();
  const page = await used.open('/w');
  const shows = (name: string) => page.locator(`.pane[aria-label="${name}"]`).waitFor();
  await page.getByText('There are no terminals yet').waitFor();
  await used.api.post('/api/terminals', { name: 'first' });
  await shows('first');
  await remove();
  await page.getByText('There are no terminals yet').waitFor();
  await used.api.post('/api/terminals', { name: 'second' });
  await shows('second');
  await page.context().close();
});
