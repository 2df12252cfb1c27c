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
