import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

/** A terminal whose last command has failed. */
async function failed(name: string): Promise<string> {
  const { id } = (await used.api.post<{ id: string }>('/api/terminals', { name })).body;
  const run = { terminalIds: [id], command: 'false', timeoutMs: 20_000 };
  await used.api.post('/api/terminals/batch/run', run);
  return id;
}

test('an answer that is sent takes the focus from no other card', async () => {
  for (const name of ['one', 'two', 'three']) await failed(name);
  const page = await used.open('/needs');
  const box = (name: string) => page.getByRole('listitem', { name: new RegExp(name) }).getByRole('textbox');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/execute', async (route) => {
    await released;
    await route.continue();
  });
  await box('one').fill('sleep 60');
  await page.keyboard.press('Enter');
  await box('three').click();
  await page.keyboard.type('ec');
  release();
  await page.getByText('answered').first().waitFor();
  await page.keyboard.type('ho d');
  expect(await box('three').inputValue()).toBe('echo d');
});
