import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

test('a page that fails says so in its place, and the others work', async () => {
  const page = await used.open('/', { expected: /told to fail/ });
  await page.route(/\/assets\/search-page[^/]*\.js$/, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `export default () => { throw new Error('told to fail'); }`,
    }),
  );
  await page.getByRole('link', { name: 'Search' }).click();
  const alert = page.getByRole('alert');
  await alert.getByRole('heading', { name: 'This page has failed' }).waitFor();
  expect(await alert.textContent()).toContain('told to fail');
  await page.getByRole('link', { name: 'Processes' }).click();
  await page.getByRole('heading', { name: 'Processes' }).waitFor();
  expect(await alert.count()).toBe(0);
  await page.context().close();
});

test('a part whose code cannot be loaded is missing alone, and is there once it can be', async () => {
  const page = await used.open('/?', { expected: /dynamically imported|ERR_FAILED/ });
  const code = /\/assets\/command-palette[^/]*\.js$/;
  await page.route(code, (route) => route.abort());
  await page.getByRole('link', { name: 'Wall' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByText('A part of this page could not be loaded').waitFor();
  expect(await page.getByRole('heading', { name: 'This page has failed' }).count()).toBe(0);
  await page.unroute(code);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.context().close();
});
