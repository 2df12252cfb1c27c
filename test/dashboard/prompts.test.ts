import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

const create = async (name: string) =>
  (await used.api.post<{ id: string }>('/api/terminals', { name })).body.id;

/** A terminal with a command that runs, so that prompts wait for its end. */
async function busy(name: string): Promise<string> {
  const id = await create(name);
  await used.api.post(`/api/terminals/${id}/wait`, { until: 'prompt' });
  await used.api.post(`/api/terminals/${id}/input`, { data: 'read line\r' });
  return id;
}

const statesOf = async (id: string) =>
  (
    await used.api.get<{ prompts: Array<{ state: string }> }>(`/api/terminals/${id}/prompts`)
  ).body.prompts.map(({ state }) => state);

async function opened(id: string, options = {}): Promise<Page> {
  const page = await used.open(`/t/${id}`, options);
  await page.getByText('keys go to the terminal').waitFor();
  return page;
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Prompt queue' });

test('a person queues prompts, sees them wait, cancels one by key, and sees the other typed', async () => {
  const id = await busy('worker');
  const page = await opened(id);
  await page.getByRole('button', { name: 'Queue a prompt…' }).click();
  const dialog = dialogOf(page);
  // The field of the text has the focus.
  await dialog.getByLabel('Prompt', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('echo first $((40 + 2))');
  await page.keyboard.press('Control+Enter');
  const waiting = dialog.getByRole('list', { name: 'Waiting' });
  await waiting.getByText('echo first $((40 + 2))').first().waitFor();

  await dialog.getByLabel('Prompt', { exact: true }).fill('echo second');
  await dialog.getByLabel('Type it').selectOption('command-end');
  await dialog.getByLabel('Not before, in minutes').fill('5');
  await dialog.getByLabel('Expires, in minutes').fill('5');
  await dialog.getByText('It would expire before it is due').waitFor();
  expect(await dialog.getByRole('button', { name: 'Queue it' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Expires, in minutes').fill('60');
  await dialog.getByRole('button', { name: 'Queue it' }).click();
  await waiting.getByText(/^once the command has ended · due in 4m \d+s · expires in 59m \d+s/).waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: '2 prompts queued' }).click();
  await dialog.getByRole('button', { name: 'Cancel echo second' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('list', { name: 'Ended' }).getByText('cancelled', { exact: true }).waitFor();
  expect(await statesOf(id)).toEqual(['queued', 'cancelled']);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: '1 prompt queued' }).waitFor();
  await used.api.post(`/api/terminals/${id}/input`, { data: '\r' });
  await page.locator('.xterm-rows > div').getByText('first 42', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: '1 prompt queued' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Queue a prompt…' }).click();
  await dialog.getByRole('list', { name: 'Ended' }).getByText('submitted', { exact: true }).waitFor();
});

test('a prompt that another client queues is shown by its event, and a refusal is told in words', async () => {
  const id = await busy('full');
  const page = await opened(id, { expected: /status of 429/ });
  const add = (prompt: string, options = {}) =>
    used.api.post(`/api/terminals/${id}/prompts`, { prompt, ...options });
  await add('echo one');
  await page.getByRole('button', { name: '1 prompt queued' }).waitFor();
  await Promise.all(Array.from({ length: 98 }, (_, at) => add(`echo more ${at}`)));
  await add('echo brief', { expiresInMs: 1_500 });
  await page.getByRole('button', { name: '100 prompts queued' }).click();
  const dialog = dialogOf(page);
  await page.getByText('A queued prompt has ended: expired: nothing was typed').waitFor();
  await dialog.getByText('expired: nothing was typed').waitFor();
  await add('echo the last');
  await dialog.getByLabel('Prompt', { exact: true }).fill('echo too many');
  await dialog.getByRole('button', { name: 'Queue it' }).click();
  await dialog.getByText('Not queued: too many prompts wait already').waitFor();
  // The text stays for another try, also when the dialog is opened again.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Queue a prompt…' }).click();
  expect(await dialog.getByLabel('Prompt', { exact: true }).inputValue()).toBe('echo too many');
});
