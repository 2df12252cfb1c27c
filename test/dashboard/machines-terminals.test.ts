import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible } from '../support/axe.js';
import { useDashboard } from '../support/dashboard-browser.js';
import { grant, online } from '../support/fleet.js';
import { useFleetOfTwo } from '../support/fleet-of-two.js';

const fleet = useFleetOfTwo();
const used = useDashboard(() => fleet.hub.service);
let far: string;

beforeAll(async () => {
  await fleet.hub.api.post('/api/terminals', { name: 'near' });
  const body = { name: 'far', labels: { role: 'test' }, command: ['bash', '--norc'] };
  far = (await fleet.laptop.api.post<{ id: string }>('/api/terminals', body)).body.id;
});

const addressOf = (id: string) => `/machines/${fleet.laptop.id}/t/${id}`;
const screen = (page: Page) => page.locator('.xterm-rows');

/** Replaces all grants of the laptop. */
async function grantOnly(...bodies: object[]): Promise<void> {
  const { grants } = (await fleet.laptop.api.get<{ grants: Array<{ id: string }> }>('/api/fleet/grants'))
    .body;
  for (const { id } of grants) await fleet.laptop.api.delete(`/api/fleet/grants/${id}`);
  for (const body of bodies) await grant(fleet.laptop, fleet.hub, body);
}

/** Opens the page of the far terminal, and waits until it takes keys. */
async function opened(): Promise<Page> {
  const page = await used.open(addressOf(far));
  await page.getByText('keys go to the terminal').waitFor();
  return page;
}

test('terminals of other machines are listed with their machine, and one opens to be typed into', async () => {
  const page = await used.open('/processes');
  const rows = page.locator('.processes-scroll tbody tr[aria-rowindex]');
  await rows.filter({ hasText: 'far' }).waitFor();
  await rows.filter({ hasText: 'this machine' }).filter({ hasText: 'near' }).waitFor();
  await page.getByLabel('machine').selectOption(fleet.laptop.id);
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('machine')).toBe(fleet.laptop.id);
  await page.getByRole('link', { name: 'far' }).click();
  await page.getByRole('heading', { name: 'far' }).waitFor();
  await page.getByText('keys go to the terminal').waitFor();
  await page.keyboard.type('echo typed $((40 + 2))\n');
  await screen(page).getByText('typed 42', { exact: true }).waitFor();
  const output = await fleet.laptop.api.get<{ raw: string }>(`/api/terminals/${far}/output`);
  expect(output.body.raw).toContain('typed 42');
  // The page does not show what it cannot know of another machine.
  expect(await page.getByRole('button', { name: 'Take over' }).count()).toBe(0);
  await page.context().close();
});

test('a machine that lets this one only watch shows its terminal, and takes no keys', async () => {
  await grantOnly({ can: ['observe'] }, { can: ['type'], terminals: 'role=other' });
  const page = await used.open(addressOf(far));
  await page.getByText('You only watch').waitFor();
  await screen(page).getByText('typed 42', { exact: true }).waitFor();
  expect(await page.getByRole('toolbar', { name: 'Keys' }).count()).toBe(0);
  await page.locator('.xterm-screen').click();
  await page.keyboard.type('x');
  await page.getByText('Not sent: 1 key: this window only watches').waitFor();
  await fleet.laptop.api.post(`/api/terminals/${far}/input`, { data: 'echo seen $((40 + 3))\r' });
  await screen(page).getByText('seen 43', { exact: true }).waitFor();
  await page.context().close();
});

test('without the right it says so, and with it opens; a right that ends ends the page', async () => {
  await grantOnly();
  const page = await used.open(addressOf(far), { expected: /status of 403/ });
  await page.getByRole('heading', { name: /does not let this machine see this terminal/ }).waitFor();
  await page.getByText('auto-terminal fleet grant NAME observe,type').waitFor();
  await grantOnly({ can: ['observe', 'type'] });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('keys go to the terminal').waitFor();
  await grantOnly();
  await page.getByRole('heading', { name: /does not let this machine see this terminal/ }).waitFor();
  expect(await screen(page).count()).toBe(0);
  await page.context().close();
  await grantOnly({ can: ['observe', 'type'] });
});

test('while a machine is away, its terminals are listed as they were, and the page goes on once it is back', async () => {
  const page = await opened();
  const list = await used.open('/processes');
  const row = list.locator('.processes-scroll tbody tr', { hasText: 'far' });
  await row.waitFor();
  fleet.relay.cut(true);
  await page.getByText(/cannot be reached\. The screen is as it was/).waitFor();
  await row.getByText(/offline, as of .* ago/).waitFor();
  expect(await row.getAttribute('class')).toBe('process-before');
  // A page that is opened while the machine is away waits for it.
  const late = await used.open(addressOf(far));
  await late.getByRole('heading', { name: /cannot be reached/ }).waitFor();
  fleet.relay.heal();
  await online(fleet.hub, fleet.laptop.id, true, 60_000);
  for (const each of [page, late]) await each.getByText('keys go to the terminal').waitFor();
  await late.keyboard.type('echo back $((40 + 4))\n');
  for (const each of [page, late]) await screen(each).getByText('back 44', { exact: true }).waitFor();
  for (const each of [page, list, late]) await each.context().close();
});

test('a terminal that is opened while its machine does not answer is shown once it does', async () => {
  const page = await used.open('/processes', { expected: /status of 503/ });
  const link = page.getByRole('link', { name: 'far' });
  await link.waitFor();
  fleet.relay.silence();
  await link.click();
  await page.getByText('The page connects again by itself').waitFor();
  fleet.relay.heal();
  await page.getByText('keys go to the terminal').waitFor();
  await page.context().close();
});

test('a terminal of another machine, and the list of them, break no rule of axe', async () => {
  const page = await used.open(addressOf(far));
  await expectAccessible(page, () => page.locator('.xterm-rows').waitFor());
  await page.goto(`${used.url}/processes`);
  await expectAccessible(page, () => page.locator('tr', { hasText: 'far' }).waitFor());
  await page.context().close();
});
