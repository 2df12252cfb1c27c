import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

const create = async (name: string, labels = {}) =>
  (await used.api.post<{ id: string }>('/api/terminals', { name, labels })).body.id;
const run = (id: string, command: string) =>
  used.api.post('/api/terminals/batch/run', { terminalIds: [id], command, timeoutMs: 20_000 });

test('what has happened since somebody looked is on the tile and on the page, and is over with a look', async () => {
  const id = await create('watched');
  await run(id, 'true');
  const page = await used.open('/');
  const tile = page.locator(`[data-terminal="${id}"]`);
  await tile.waitFor();
  await page.locator('.link', { hasText: 'connected' }).waitFor();
  expect(await tile.locator('.tile-news').count()).toBe(0);

  // A command that ends during a look is no news.
  await tile.click();
  await page.getByText('keys go to the terminal').waitFor();
  await run(id, 'echo seen');
  await page.locator('.command', { hasText: 'echo seen' }).getByText('ok').waitFor();
  await page.getByRole('link', { name: 'Wall', exact: true }).click();
  await tile.getByText('echo seen').waitFor();
  expect(await tile.locator('.tile-news').count()).toBe(0);
  // The end of the terminal's output is stored after the look.
  const look = `JSON.parse(localStorage.getItem('auto-terminal.looks')).of['${id}']`;
  await expect.poll(() => page.evaluate(look)).toHaveProperty('cursor');

  await run(id, 'echo a badger; (exit 3)');
  await tile.locator('.tile-news').waitFor();
  await page.getByRole('button', { name: '1 new: mark as seen' }).waitFor();
  await tile.click();
  await page.getByText(/Since you looked, \d+s ago: 1 command ended, 1 failed/).waitFor();
  await page.getByRole('button', { name: 'Output since then' }).click();
  const output = page.getByRole('textbox', { name: 'Output since you looked' });
  await expect.poll(() => output.inputValue()).toContain('a badger');
  expect(await output.inputValue()).not.toContain('seen');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Hide what is new' }).click();
  await page.getByText('Since you looked').waitFor({ state: 'detached' });

  // Commands that end while the page is shown are no news after a reload.
  await run(id, 'echo seen, too');
  await page.locator('.command', { hasText: 'echo seen, too' }).getByText('ok').waitFor();
  await page.reload();
  await page.locator('.command', { hasText: 'echo seen, too' }).waitFor();
  await page.getByText('keys go to the terminal').waitFor();
  expect(await page.locator('.since-looked').count()).toBe(0);
  await page.context().close();
});

test('all windows of a browser know of a look, and all news can be taken as seen', async () => {
  const ids = [await create('one', { role: 'many' }), await create('two', { role: 'many' })];
  const page = await used.open('/?q=role=many');
  await page.locator('.link', { hasText: 'connected' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${used.url}/?q=role=many`);
  await other.locator('.link', { hasText: 'connected' }).waitFor();
  for (const id of ids) await run(id, 'false');
  for (const each of [page, other]) await expect.poll(() => each.locator('.tile-news').count()).toBe(2);
  await page.getByRole('button', { name: /^\d+ new: mark as seen$/ }).click();
  for (const each of [page, other]) await expect.poll(() => each.locator('.tile-news').count()).toBe(0);
  await page.context().close();
});
