import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();
let id: string;

beforeAll(async () => {
  id = (await used.api.post<{ id: string }>('/api/terminals', { name: 'worker' })).body.id;
});

/** Opens the form of a new webhook. */
async function webhookForm(): Promise<Page> {
  const page = await used.open('/guardrails/webhooks', { expected: /status of 4/ });
  await page.getByRole('button', { name: 'New webhook…' }).click();
  return page;
}

const webhooks = async () =>
  (await used.api.get<{ webhooks: Array<{ url: string }> }>('/api/webhooks')).body.webhooks;

test('a form that is sent twice before the answer makes one thing', async () => {
  const page = await webhookForm();
  const dialog = page.getByRole('dialog', { name: 'New webhook' });
  await dialog.getByLabel('URL').fill('http://127.0.0.1:9/once');
  let asked = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/webhooks', async (route) => {
    if (route.request().method() === 'POST') {
      asked++;
      await released;
    }
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Make it' }).dblclick();
  release();
  await page.getByRole('dialog', { name: 'The secret of the webhook' }).waitFor();
  expect(asked).toBe(1);
  expect(await webhooks()).toHaveLength(1);
  await page.context().close();
});

test('a form says in itself that the service refuses it, and keeps what was typed', async () => {
  const page = await webhookForm();
  const dialog = page.getByRole('dialog', { name: 'New webhook' });
  await dialog.getByLabel('URL').fill('http://127.0.0.1:9/refused');
  await dialog.getByLabel('Events').fill('no.such');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('The webhook was not made').waitFor();
  expect(await dialog.getByLabel('Events').inputValue()).toBe('no.such');
  await dialog.getByLabel('Events').fill('agent.*');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'The secret of the webhook' }).waitFor();
  await page.context().close();
});

test('no key reaches the page behind a dialog, also once nothing in the dialog has the focus', async () => {
  const run = { terminalIds: [id], command: 'seq 1200', timeoutMs: 20_000 };
  await used.api.post('/api/terminals/batch/run', run);
  const page = await used.open(`/t/${id}`);
  await page.getByText('keys go to the terminal').waitFor();
  await page.getByRole('button', { name: 'Earlier output' }).click();
  const more = page.getByRole('button', { name: 'Show more' });
  await more.click();
  await more.waitFor({ state: 'detached' });
  for (const key of ['t', 'g', 'w', 'Escape']) await page.keyboard.press(key);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(new URL(page.url()).pathname).toBe(`/t/${id}`);
  const { holder } = (await used.api.get<{ holder: unknown }>(`/api/terminals/${id}/lease`)).body;
  expect(holder).toBeNull();
  await page.context().close();
});
