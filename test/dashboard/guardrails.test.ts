import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';
import { Receiver } from '../support/receiver.js';

const used = useDashboard();
let id: string;

beforeAll(async () => {
  const body = { name: 'worker', labels: { role: 'test' }, command: ['bash', '--norc'] };
  id = (await used.api.post<{ id: string }>('/api/terminals', body)).body.id;
});

const input = (data: string) => used.api.post(`/api/terminals/${id}/input`, { data });
const SCROLLED = `document.querySelector('.audit-scroll').scrollTop`;
const cell = (page: Page, text: string | RegExp) => page.locator('td', { hasText: text }).first();

test('the audit log is turned on, followed live, filtered, opened line by line, and checked', async () => {
  const page = await used.open('/guardrails');
  await page.getByText('The audit log is off').waitFor();
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await cell(page, 'the log begins').waitFor();
  await input('echo followed\r');
  await cell(page, 'typed 14 bytes').waitFor();
  // The newest row comes first, and a text has one row with its outcome.
  await input('echo later\r');
  const rows = page.locator('tbody tr', { hasText: 'worker' });
  await expect
    .poll(() => rows.locator('td:nth-child(4)').allTextContents())
    .toEqual(['typed 11 bytes', 'typed 14 bytes']);
  await expect.poll(() => rows.locator('td:last-child').allTextContents()).toEqual(['typed', 'typed']);

  await page.getByLabel('what').selectOption({ label: 'the log itself' });
  await expect.poll(() => rows.count()).toBe(0);
  await cell(page, 'the log begins').waitFor();
  await page.getByLabel('what').selectOption({ label: 'all' });
  await page.getByLabel('terminal').selectOption({ label: 'worker' });
  await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
  expect(new URL(page.url()).searchParams.get('terminal')).toBe(id);
  await page.getByLabel('who').fill('user');
  await page.keyboard.press('Enter');
  await page.getByText('No line of the log is like that').waitFor();
  await page.getByLabel('who').fill('service');
  await page.keyboard.press('Enter');
  await cell(page, 'text to be typed').waitFor();
  await page.getByLabel('who').fill('');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(2);

  await page
    .getByRole('button', { name: /^Show line/ })
    .first()
    .click();
  const shown = page.getByRole('dialog').getByRole('textbox');
  const text = await shown.inputValue();
  expect([...text.matchAll(/"action": "(\w+)"/g)].map(([, action]) => action)).toEqual(['type', 'typed']);
  await page.keyboard.press('Escape');

  const check = page.getByRole('button', { name: 'Check the chain' });
  await check.click();
  await page.getByText(/^Whole: lines 1 to \d+/).waitFor();
  // A change of the last line could not be detected, so another line follows it.
  await input('\r');
  const folder = join(used.service.home, 'data/audit');
  const [file = ''] = await readdir(folder);
  const log = await readFile(join(folder, file), 'utf8');
  await writeFile(join(folder, file), log.replace('"bytes":14', '"bytes":15'));
  await check.click();
  await page.getByText(/^Not whole after line \d+: something was changed/).waitFor();
  await page.context().close();
});

test('of a long audit log only the lines in view exist, and new ones wait while somebody reads older ones', async () => {
  await used.api.patch('/api/settings', { audit: { enabled: true } });
  for (let at = 0; at < 100; at++) await used.api.patch(`/api/terminals/${id}`, { name: 'worker' });
  const page = await used.open('/guardrails/audit');
  const rows = page.locator('.audit-scroll tbody tr[aria-rowindex]');
  await cell(page, /./).waitFor();
  await expect
    .poll(async () => Number(await page.locator('table').getAttribute('aria-rowcount')))
    .toBeGreaterThan(100);
  expect(await rows.count()).toBeLessThan(60);
  expect((await rows.first().boundingBox())!.height).toBe(28);
  const list = page.getByRole('region', { name: 'Lines' });
  await list.focus();
  await page.keyboard.press('PageDown');
  await expect.poll(() => page.evaluate<number>(SCROLLED)).toBeGreaterThan(0);
  await input('\r');
  await page.getByRole('button', { name: '1 new line' }).click();
  await cell(page, 'typed 1 byte').waitFor();
  await page.getByRole('button', { name: '1 new line' }).waitFor({ state: 'detached' });
  await page.context().close();
});

test('a token is made, shown once, and revoked; in open mode the page says that it binds nothing', async () => {
  const page = await used.open('/guardrails/tokens');
  await page.getByText('Tokens bind nothing until the setting').waitFor();
  await page.getByRole('button', { name: 'New token…' }).click();
  const form = page.getByRole('dialog', { name: 'New token' });
  await form.getByLabel('Name').fill('agents of team a');
  await form.getByRole('checkbox', { name: /^run / }).check();
  await form.getByLabel('Terminals', { exact: true }).selectOption('labels');
  await form.getByLabel('Labels').fill('role=test');
  await form.getByRole('button', { name: 'Make it' }).click();
  const once = page.getByRole('dialog', { name: 'Token agents of team a' });
  const text = await once.locator('.secret').textContent();
  const self = await fetch(`${used.service.url}/api/tokens`, {
    headers: { authorization: `Bearer ${text}` },
  });
  expect(self.status).toBe(200);
  await once.getByRole('button', { name: 'I have it' }).click();
  await cell(page, 'read, run').waitFor();
  await cell(page, 'role=test').waitFor();
  expect(await page.content()).not.toContain(text);
  await page.getByRole('button', { name: 'Revoke agents of team a' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('There is no token').waitFor();
  await page.context().close();
});

test('a part that the login may not see says so in its place', async () => {
  const page = await used.open('/guardrails/limits', { expected: /status of 403/ });
  await page.route('**/api/tokens', (route) =>
    route.fulfill({ status: 403, json: { error: 'The token has no verb admin', code: 'verb-missing' } }),
  );
  await page.getByRole('link', { name: 'Tokens' }).click();
  await page.getByText('The tokens: this login may not see it').waitFor();
  await page.getByRole('link', { name: 'Limits' }).click();
  await page.getByText('Nothing is limited').waitFor();
  await page.context().close();
});

test('a watch and its webhook are made, show what they found and posted, and are deleted', async () => {
  const receiver = await Receiver.open();
  receiver.reply = ({ body }) => (body.type === 'webhook.test' ? 500 : 200);
  const page = await used.open('/guardrails/webhooks');
  await page.getByText('There is no webhook').waitFor();
  await page.getByRole('button', { name: 'New webhook…' }).click();
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByLabel('Events').fill('run.finished');
  await page.getByLabel('Name').fill('orchestrator');
  await page.getByRole('button', { name: 'Make it' }).click();
  await page
    .getByRole('dialog')
    .getByText(/^whsec_/)
    .waitFor();
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('button', { name: 'Test orchestrator' }).click();
  await cell(page, 'the test has failed: ').waitFor();

  await page.getByRole('link', { name: 'Watches' }).click();
  await page.getByText('Nothing is watched for').waitFor();
  await page.getByRole('button', { name: 'New watch…' }).click();
  await page.getByLabel('Looks for').fill('rate limit');
  await page.getByLabel('In', { exact: true }).selectOption('labels');
  await page.getByLabel('Labels').fill('role=test');
  await page.getByLabel('Posts to').selectOption({ label: 'orchestrator' });
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await cell(page, 'none yet').waitFor();
  await input('echo "a rate $((1))limit"; echo "a rate limit"\r');
  await cell(page, 'in all').waitFor();
  await cell(page, 'posts to orchestrator').waitFor();

  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Deliveries orchestrator' }).click();
  const log = page.getByRole('dialog', { name: 'Deliveries to orchestrator' });
  await log.locator('tr', { hasText: 'watch.matched' }).getByText('delivered').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Turn off orchestrator' }).click();
  await page.getByRole('button', { name: 'Turn on orchestrator' }).waitFor();
  await page.getByRole('button', { name: 'Delete orchestrator' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('There is no webhook').waitFor();
  await page.getByRole('link', { name: 'Watches' }).click();
  await page.getByRole('button', { name: 'Delete rate limit' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Nothing is watched for').waitFor();
  await page.context().close();
  await receiver.close();
});

test('a creation that waits is shown with its place and what it waits for, until it is admitted', async () => {
  const page = await used.open('/guardrails/limits');
  await page.getByText('Nothing is limited').waitFor();
  await used.api.patch('/api/settings', { limits: { maxTerminals: 1 } });
  await cell(page, 'at most 1, reached').waitFor();
  const body = { name: 'second', labels: { role: 'agent' }, queueMs: 100_000, priority: 5 };
  const created = used.api.post<{ id: string }>('/api/terminals', body);
  const row = page.locator('tr', { hasText: 'second' });
  await row.getByText('1 of at most 1 terminals run or start').waitFor();
  await row.getByText('1, priority 5').waitFor();
  await row.getByText('role=agent').waitFor();
  await used.api.patch('/api/settings', { limits: { maxTerminals: 2 } });
  expect((await created).status).toBe(200);
  await page.getByText('No creation waits').waitFor();
  await used.api.patch('/api/settings', { limits: { maxTerminals: null } });
  await page.context().close();
});

/** Has the connection end within the first answer of the audit log. */
const CUT_ONCE = `
  const real = window.fetch;
  let isCut = false;
  window.fetch = async (url, init) => {
    if (isCut || !String(url).includes('/api/audit')) return real(url, init);
    isCut = true;
    return new Response(new ReadableStream({ start: (stream) => stream.error(new TypeError('network error')) }));
  };
`;

test('the audit log is read on where its connection was lost at first', async () => {
  await used.api.patch('/api/settings', { audit: { enabled: true } });
  const page = await used.open('/');
  await page.addInitScript(CUT_ONCE);
  await page.goto(`${used.url}/guardrails`);
  // Of a long log only the newest lines are in view.
  await cell(page, /./).waitFor();
  expect(await page.getByText('could not be read').count()).toBe(0);
  await page.context().close();
});
