import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

test('a search says that it searches, and not how many results the search before had', async () => {
  const { id } = (await used.api.post<{ id: string }>('/api/terminals', {})).body;
  const run = { terminalIds: [id], command: 'echo needle', timeoutMs: 20_000 };
  await used.api.post('/api/terminals/batch/run', run);
  const page = await used.open('/search');
  const field = page.getByLabel('Search', { exact: true });
  const said = page.locator('.search-count');
  await field.fill('needle');
  await page.waitForURL(/q=needle/);
  // The index takes text in a moment after it was printed.
  const found = async () => {
    await page.reload();
    await expect.poll(() => said.textContent()).toMatch(/results|Nothing like that/);
    return said.textContent();
  };
  await expect.poll(found).toMatch(/\d results/);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/api\/search$/, async (route) => {
    await released;
    await route.continue();
  });
  const asked = page.waitForRequest(/api\/search$/);
  await field.fill('no such hay');
  await asked;
  await expect.poll(() => said.textContent()).toBe('Searching…');
  release();
  await expect.poll(() => said.textContent()).toBe('Nothing like that was printed or typed.');
  await page.context().close();
});
