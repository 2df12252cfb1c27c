import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible } from '../support/axe.js';
import { useDashboard } from '../support/dashboard-browser.js';
import {
  ask,
  connected,
  type FleetMachine,
  invite,
  makeHub,
  online,
  startMachine,
  statusOf,
} from '../support/fleet.js';

let hub: FleetMachine;
let laptop: FleetMachine;
let terminal: string;

beforeAll(async () => {
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  const made = await hub.api.post<{ id: string }>('/api/terminals', { name: 'builder' });
  terminal = made.body.id;
});
afterAll(() => Promise.all([hub, laptop].map((each) => each?.service.stop())));
const used = useDashboard(() => hub.service);

const machine = (page: Page, name: RegExp | string) => page.locator('.machine', { hasText: name });
const badge = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).locator('.badge');
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');
const answer = (page: Page, title: string | RegExp) =>
  page.getByRole('button', { name: title }).and(page.getByText('Answer…')).click();

test('without a fleet it says how to come into one, and shows it once there is one', async () => {
  const page = await used.open('/machines');
  await page.getByText('This machine is in no fleet').waitFor();
  await page.getByRole('button', { name: 'Copy auto-terminal fleet init' }).waitFor();
  expect(await page.getByRole('button', { name: 'Invite a machine…' }).count()).toBe(0);
  await machine(page, 'this machine').getByRole('link', { name: '1 terminal' }).waitFor();
  await makeHub(hub);
  await page.getByText('No other machine is in the fleet yet').waitFor();
  await machine(page, 'this machine').getByText(hub.id).waitFor();
  await machine(page, 'this machine').getByText('hub', { exact: true }).waitFor();
  await page.context().close();
});

test('a machine is invited by a code that is shown once, and let in by its words; Enter alone denies it', async () => {
  const page = await used.open('/machines');
  await page.getByRole('button', { name: 'Invite a machine…' }).click();
  await page.getByLabel('Name in the fleet').fill('lap');
  await page.keyboard.press('Enter');
  const once = page.getByRole('dialog', { name: 'Run this on the other machine' });
  const command = (await once.locator('.secret').textContent())!;
  const code = /^auto-terminal fleet join (at1-\S+)$/.exec(command)![1]!;
  await once.getByRole('button', { name: 'I have it' }).click();
  expect(await page.content()).not.toContain(code);

  const first = await ask(hub, laptop, code);
  const waiting = page.getByRole('region', { name: 'Waiting for you' });
  await waiting.getByText(first.joining.words).waitFor();
  await expect.poll(() => badge(page).textContent()).toContain('1');
  await answer(page, /lap asks to join/);
  const dialog = page.getByRole('dialog', { name: 'lap asks to join the fleet?' });
  await dialog.getByText(first.joining.words).waitFor();
  expect(await focused(page)).toBe('Deny');
  // Closing the dialog is no answer.
  await page.keyboard.press('Escape');
  await page.locator('dialog', { hasText: first.joining.words }).waitFor({ state: 'detached' });
  await waiting.getByText(first.joining.words).waitFor();
  await answer(page, /lap asks to join/);
  await dialog.waitFor();
  await page.keyboard.press('Enter');
  await waiting.waitFor({ state: 'detached' });
  await expect.poll(async () => (await statusOf(laptop)).joining?.state).toBe('denied');

  // On another page, a line and the navigation show the request.
  await page.getByRole('link', { name: 'Wall', exact: true }).click();
  const second = await ask(hub, laptop, (await invite(hub, { as: 'lap' })).code);
  await page.getByText('lap asks to join the fleet. Answer on the page Machines').waitFor();
  await page.getByRole('link', { name: /^Machines/ }).click();
  await waiting.getByText(second.joining.words).waitFor();
  await answer(page, /lap asks to join/);
  await page.getByRole('button', { name: 'Let it join' }).click();
  laptop.id = (await connected(laptop)).machineId!;
  await machine(page, 'lap').getByText('online').waitFor();
  await machine(page, 'lap').getByText(laptop.id).waitFor();
  await machine(page, 'lap').getByText('Nothing. A person there can grant it.').waitFor();
  await expect.poll(() => badge(page).count()).toBe(0);
  await online(laptop, hub.id);
  await page.context().close();
});

test('rights are granted by a form, listed and taken back', async () => {
  const page = await used.open('/machines');
  await page.getByRole('button', { name: 'Grant… rights to lap' }).click();
  const form = page.getByRole('dialog');
  expect(await form.getByText('Grant it as you would give an account').count()).toBe(0);
  await form.getByRole('checkbox', { name: /^execute/ }).check();
  await form.getByText('Grant it as you would give an account').waitFor();
  await form.getByLabel('Terminals', { exact: true }).selectOption('some');
  expect(await form.getByRole('button', { name: 'Grant it' }).isDisabled()).toBe(true);
  await form.getByRole('checkbox', { name: 'builder' }).check();
  await form.getByLabel('Until').selectOption({ label: 'until it is revoked' });
  await form.getByLabel('Ask a person here').selectOption({ label: 'yes, each time' });
  await form.getByRole('button', { name: 'Grant it' }).click();
  await form.waitFor({ state: 'detached' });
  const words = `observe, execute: the terminal ${terminal}, asks each time`;
  await machine(page, 'lap').locator('.machine-grant > span').getByText(words, { exact: true }).waitFor();
  const { grants } = (await hub.api.get<{ grants: object[] }>('/api/fleet/grants')).body;
  expect(grants).toMatchObject([
    { to: laptop.id, can: ['observe', 'execute'], terminals: [terminal], until: null, ask: 'always' },
  ]);
  // Rights that another machine grants this machine.
  await laptop.api.post('/api/fleet/grants', { to: hub.id, can: ['observe'], terminals: 'role=test' });
  await page.reload();
  await machine(page, 'lap').getByText('observe: role=test').waitFor();
  await machine(page, 'lap').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await machine(page, 'lap').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await machine(page, 'lap').getByText('Nothing.', { exact: true }).waitFor();
  expect((await hub.api.get('/api/fleet/grants')).body).toEqual({ grants: [] });
  await page.context().close();
});

test('what another machine wants to do waits for an answer, with its text and the time that is left', async () => {
  const body = { to: laptop.id, can: ['execute'], ask: 'always' };
  await hub.api.post('/api/fleet/grants', body);
  const page = await used.open('/');
  await page.getByRole('gridcell').first().waitFor();
  const run = (command: string) =>
    laptop.api.post<{ code?: string; exitCode?: number }>('/api/fleet/execute', {
      ...{ machineId: hub.id, terminalId: terminal, command },
    });
  const first = run('echo asked \u202e');
  await page.getByText('lap asks to run a command here. Answer on the page Machines').waitFor();
  await expect.poll(() => badge(page).textContent()).toContain('1');
  await page.getByRole('link', { name: /^Machines/ }).click();
  const waiting = page.getByRole('region', { name: 'Waiting for you' });
  // A character that would turn the text around is shown by its number.
  await waiting.getByText('echo asked \\u202e').waitFor();
  await waiting.getByRole('link', { name: 'builder' }).waitFor();
  expect(await waiting.locator('.waiting-left').textContent()).toMatch(/^\d\d? seconds? left$/);
  await answer(page, /lap asks to run a command here/);
  expect(await focused(page)).toBe('Deny');
  await page.getByRole('button', { name: 'Approve' }).click();
  expect(await first).toMatchObject({ status: 200 });
  await waiting.waitFor({ state: 'detached' });

  const second = run('echo denied');
  await answer(page, /lap asks to run a command here/);
  await page.keyboard.press('Enter');
  expect(await second).toMatchObject({ status: 403, body: { code: 'not-granted' } });

  // Another client answers while the question is open.
  const third = run('echo elsewhere');
  await answer(page, /lap asks to run a command here/);
  const { uses } = (await hub.api.get<{ uses: Array<{ id: string }> }>('/api/fleet/requests')).body;
  await hub.api.post(`/api/fleet/requests/${uses[0]!.id}/deny`);
  await page.getByText(/^It waits no longer/).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await third).toMatchObject({ status: 403 });
  await page.context().close();
});

const PAGES: Record<string, (page: Page) => Promise<void>> = {
  'the machines, and what waits': async (page) => {
    await page.locator('.waiting-words').first().waitFor();
    await machine(page, 'lap').waitFor();
  },
  'a question': async (page) => {
    await answer(page, /asks to join/);
    await page.locator('dialog[open]').waitFor();
  },
  'a grant': async (page) => {
    await page.getByRole('button', { name: 'Grant… rights to lap' }).click();
    await page.getByRole('checkbox', { name: /^type/ }).check();
    await page.getByLabel('Terminals', { exact: true }).selectOption('some');
  },
  'an invitation': async (page) => {
    await page.getByRole('button', { name: 'Invite a machine…' }).click();
    await page.locator('dialog[open]').waitFor();
  },
};

test('no page of a fleet breaks a rule of axe, and none is wider than a phone', async () => {
  const guest = await startMachine();
  try {
    await ask(hub, guest, (await invite(hub, { as: 'guest' })).code);
    for (const draw of Object.values(PAGES)) {
      const page = await used.open('/machines');
      await expectAccessible(page, () => draw(page));
      await page.setViewportSize({ width: 360, height: 740 });
      const isTooWide = `[document.documentElement, document.querySelector('main')].some(
        (each) => each.scrollWidth > innerWidth,
      )`;
      expect(await page.evaluate(isTooWide)).toBe(false);
      await page.context().close();
    }
  } finally {
    await guest.service.stop();
  }
});

test('a machine that goes is offline at once, and one that is removed is gone after a question', async () => {
  const page = await used.open('/machines');
  await machine(page, 'lap').getByText('online').waitFor();
  await laptop.service.kill('SIGKILL');
  await machine(page, 'lap')
    .getByText(/offline, seen/)
    .waitFor();
  await machine(page, 'lap').getByText('Unknown while it is offline').waitFor();
  laptop = { ...(await startMachine(laptop.service.home)), id: laptop.id };
  await machine(page, 'lap').getByText('online').waitFor();
  await page.getByRole('button', { name: 'Remove… lap' }).click();
  expect(await focused(page)).toBe('Cancel');
  await page.getByRole('button', { name: 'Remove it' }).click();
  await machine(page, 'lap').waitFor({ state: 'detached' });
  await page.context().close();
});
