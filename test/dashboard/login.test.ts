import { beforeAll, expect, test } from 'vitest';
import { expectAccessible } from '../support/axe.js';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();
/** Messages that a browser logs for requests without a session. */
const expected = /status of 401|HTTP Authentication failed/;
let token: string;
/** A token of a program. */
let scoped: string;
let id: string;

beforeAll(async () => {
  id = (await used.api.post<{ id: string }>('/api/terminals', { name: 'behind a login' })).body.id;
  type Settings = { network: { authToken: string } };
  token = (await used.api.get<Settings>('/api/settings?reveal=true')).body.network.authToken;
  const made = await used.api.post<{ token: string }>('/api/tokens', { name: 'ci', verbs: ['read'] });
  scoped = made.body.token;
  await used.api.patch('/api/settings', { network: { expose: true } });
});

test('the login breaks no rule of axe', async () => {
  const page = await used.open('/', { expected });
  await expectAccessible(page, () => page.getByLabel('Access token').waitFor());
  await page.context().close();
});

test('asks for it again where the session ends while a page is open', async () => {
  const pages = [];
  for (const path of ['/', '/settings', `/t/${id}`]) {
    const page = await used.open(path, { expected });
    await page.getByLabel('Access token').fill(token);
    await page.keyboard.press('Enter');
    await page.locator('.link', { hasText: 'connected' }).waitFor();
    pages.push(page);
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const rotated = await fetch(`${used.service.url}/api/settings/token/rotate`, { method: 'POST', headers });
  token = ((await rotated.json()) as { authToken: string }).authToken;
  // The wall lists its terminals anew.
  await fetch(`${used.service.url}/api/terminals`, {
    ...{ method: 'POST', body: '{}' },
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  for (const page of pages) {
    await page.getByLabel('Access token').waitFor();
    await page.context().close();
  }
});

test('asks for the token, refuses another, and shows the page that was asked for', async () => {
  const page = await used.open('/?size=l', { expected });
  await page.getByLabel('Access token').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  expect(await page.locator('[role=gridcell]').count()).toBe(0);
  await page.getByLabel('Access token').fill(scoped);
  await page.keyboard.press('Enter');
  await page.getByText('This is a token for programs').waitFor();
  await page.getByLabel('Access token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell', { name: /behind a login/ }).waitFor();
  expect(new URL(page.url()).search).toBe('?size=l');
  await page.reload();
  await page.getByRole('gridcell', { name: /behind a login/ }).waitFor();
  await page.context().close();
});
