import { beforeAll, expect, test } from 'vitest';
import { expectAccessible } from '../support/axe.js';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();
/** Messages that a browser logs for requests without a session. */
const expected = /status of 401|HTTP Authentication failed/;
let token: string;
/** A token of a program. */
let scoped: string;

beforeAll(async () => {
  await used.api.post('/api/terminals', { name: 'behind a login' });
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
