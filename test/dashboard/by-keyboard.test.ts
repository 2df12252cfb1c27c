import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { eventually } from '../support/processes.js';

const used = useDashboard();
let agents: FakeAgents;
let agent: string;
let recorded: string;

const create = async (name: string, labels = {}) =>
  (await used.api.post<{ id: string }>('/api/terminals', { name, labels, command: ['bash', '--norc'] })).body
    .id;

beforeAll(async () => {
  agents = await fakeAgents();
  const path = await agents.script('bin/claude', drawnAgent(CLAUDE));
  agent = await create('asker');
  await used.api.post(`/api/terminals/${agent}/input`, { data: `${path}\r` });
  recorded = await create('recorded');
  const { body } = await used.api.post<{ recordingId: string }>('/api/recordings/start', {
    terminal_id: recorded,
  });
  await used.api.post('/api/terminals/batch/run', { terminalIds: [recorded], command: 'echo an otter' });
  await used.api.post(`/api/recordings/stop/${body.recordingId}`, {});
  for (const name of ['one', 'two', 'three']) await create(name, { role: 'test' });
});
afterAll(() => agents?.remove());

/** Presses Tab until the element in focus has this name. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const nameOfFocus = () =>
    page.evaluate<string>(
      `document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''`,
    );
  for (let press = 0; press < 60; press++) {
    const found = (await nameOfFocus()).trim();
    if (typeof name === 'string' ? found === name : name.test(found)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}`);
}

async function viewOf(id: string) {
  const { body } = await used.api.get<{ terminals: Array<{ id: string; agentStatus: string | null }> }>(
    '/api/terminals?view=full',
  );
  return body.terminals.find((each) => each.id === id)!;
}

const keys = async (page: Page, ...pressed: string[]) => {
  for (const key of pressed) await page.keyboard.press(key);
};

/** Leaves the terminal. On a busy machine, two presses may come too slowly to count as one gesture. */
const leave = async (page: Page) => {
  const hasLeft = () =>
    page
      .getByText('keys go to the page')
      .waitFor({ timeout: 2_000 })
      .then(
        () => true,
        () => false,
      );
  do await keys(page, 'Escape', 'Escape');
  while (!(await hasLeft()));
};

/** A person's way through the dashboard by keys alone: no step clicks. */
test('who waits, answer, open, search, replay at 4 times the speed, batch on a label, rerun the failed', async () => {
  const page = await used.open('/');
  await page.locator(`[data-terminal="${agent}"]`).waitFor();

  // Sees the waiting agent and answers it.
  await keys(page, 'g', 'n');
  await page.getByRole('heading', { name: 'Nobody needs you' }).waitFor();
  await used.api.post(`/api/terminals/${agent}/input`, { data: 'p' });
  const card = page.getByRole('listitem', { name: 'asker, waiting' });
  await card.waitFor();
  await keys(page, 'j', 'a');
  await page.getByLabel('Answer to asker').waitFor();
  await page.keyboard.type('w');
  await keys(page, 'Enter');
  await eventually('the agent works on', async () => (await viewOf(agent)).agentStatus === 'working');

  // Opens a terminal by its name, types into it and leaves it.
  await keys(page, 'Escape', 'g', 'w');
  await page.getByRole('grid').waitFor();
  await keys(page, 'Control+k');
  await page.getByPlaceholder('a page, a terminal, an action').waitFor();
  await page.keyboard.type('recorded');
  await page.getByRole('option', { name: 'recorded' }).waitFor();
  await keys(page, 'Enter');
  await page.getByText('keys go to the terminal').waitFor();
  await page.keyboard.type('echo a badger $((40 + 2))\n');
  await page.locator('.xterm-rows > div').getByText('a badger 42', { exact: true }).waitFor();
  await leave(page);

  // Searches what was printed, and goes to the terminal that printed it.
  await keys(page, 'g', 's');
  await page
    .getByRole('searchbox')
    .or(page.getByRole('combobox', { name: 'Search' }))
    .waitFor();
  await keys(page, '/');
  await page.keyboard.type('badger');
  await page.locator('.hit-link', { hasText: 'recorded' }).first().waitFor();
  await keys(page, 'Enter', 'Enter');
  await page.waitForURL((url) => url.pathname === `/t/${recorded}`);
  await page.getByText('keys go to the terminal').waitFor();
  await leave(page);

  // Replays at 4 times the speed.
  await keys(page, 'g', 'r');
  await page.getByRole('link', { name: 'Play' }).waitFor();
  await tabTo(page, 'Play');
  await keys(page, 'Enter');
  await page.getByRole('button', { name: 'Play' }).waitFor();
  for (let step = 0; step < 6; step++) await keys(page, '>');
  await expect.poll(() => page.getByRole('combobox', { name: 'speed' }).inputValue()).toBe('4');
  await keys(page, 'Space');
  const player = page.frameLocator('iframe[title="Player"]');
  await player.getByText('an otter').first().waitFor();

  // Runs one command in all terminals with a label; the command fails in two terminals at first.
  await keys(page, 'g', 'w');
  await page.locator('[data-terminal]').first().waitFor();
  await keys(page, '/');
  await page.keyboard.type('role=test');
  await expect.poll(() => page.locator('[data-terminal]').count()).toBe(3);
  await keys(page, 'Escape', 'b');
  await page.getByText('with role=test').waitFor();
  const first = 'mkdir "$HOME/by-keyboard" 2>&- || test -e "$HOME/by-keyboard/known"';
  await page.keyboard.type(first);
  await keys(page, 'Enter');
  const rerun = page.getByRole('button', { name: /^Rerun the failed/ });
  await expect.poll(() => rerun.textContent()).toBe('Rerun the failed (2)');
  await used.api.post('/api/terminals/batch/run', {
    terminalIds: [recorded],
    command: 'touch "$HOME/by-keyboard/known"',
  });
  await tabTo(page, /^Rerun the failed/);
  await keys(page, 'Enter');
  await page.getByText(/^3 (same|succeeded)/).waitFor();
  await page.context().close();
});

test('has a terminal and gives it back, makes a token and revokes it, reads a line of the audit log', async () => {
  await used.api.patch('/api/settings', { audit: { enabled: true } });
  const id = await create('mine');
  const page = await used.open(`/t/${id}`);
  await page.getByText('keys go to the terminal').waitFor();
  await leave(page);
  const keepOut = page.getByRole('button', { name: 'Keep programs out' });
  await keepOut.waitFor();
  // The state of the lease is fetched late here, but the next key must count all the same.
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(`**/api/terminals/${id}/lease`, async (route) => {
    if (route.request().method() === 'GET') await answered;
    await route.continue();
  });
  await keys(page, 't');
  await page.getByText('You have it').waitFor();
  // The button that gives the lease back has the focus now.
  await keys(page, 'Enter');
  await keepOut.waitFor();
  answer();

  await keys(page, 'g', 'g');
  await page.getByRole('heading', { name: 'Guardrails' }).waitFor();
  await tabTo(page, /^Show line/);
  await keys(page, 'Enter');
  await page.getByRole('dialog').waitFor();
  await keys(page, 'Escape');
  await tabTo(page, 'Tokens');
  await keys(page, 'Enter');
  await tabTo(page, 'New token…');
  await keys(page, 'Enter');
  await page.getByRole('dialog', { name: 'New token' }).waitFor();
  await page.keyboard.type('by keys');
  await keys(page, 'Enter');
  await page.getByRole('button', { name: 'I have it' }).waitFor();
  await tabTo(page, 'I have it');
  await keys(page, 'Enter');
  await tabTo(page, 'Revoke by keys');
  await keys(page, 'Enter');
  await tabTo(page, 'Revoke');
  await keys(page, 'Enter');
  await page.getByText('There is no token').waitFor();
  await page.context().close();
});
