import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

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
  await page.route('**/api/webhooks', async (route) => {
    if (route.request().method() === 'POST') asked++;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Make it' }).dblclick();
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
