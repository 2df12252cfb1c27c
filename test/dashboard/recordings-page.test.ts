import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { ALL_OPTIONS, startRecording, stopRecording } from '../support/recordings.js';

const used = useDashboard();
let agents: FakeAgents;
beforeAll(async () => {
  agents = await fakeAgents();
});
afterAll(() => agents?.remove());

const create = async (name: string) =>
  (await used.api.post<{ id: string }>('/api/terminals', { name, command: ['bash', '--norc'] })).body.id;
const type = (id: string, data: string) => used.api.post(`/api/terminals/${id}/input`, { data });
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** Replaces the text of the field in focus and presses Enter, in one turn of the page. */
const FIND_AT_ONCE = `(text) => {
  const input = document.activeElement;
  input.select();
  document.execCommand('insertText', false, text);
  input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
}`;

test('a recording that goes on has its terminal, when it began and its size, which grows', async () => {
  const id = await create('goes on');
  const page = await used.open('/recordings');
  await page.getByText('Nothing has been recorded').waitFor();
  const recording = await startRecording(used.api, id);
  const row = rowOf(page, 'goes on');
  await row.locator('.status-working').waitFor();
  await row.locator('time').waitFor();
  await type(id, 'seq 1000\r');
  await row.getByText(/^\d\.\d KiB$/).waitFor();
  await row.getByRole('button', { name: 'Stop' }).click();
  await row.getByRole('link', { name: 'Play' }).waitFor();
  expect(await page.locator(`a[href="/recordings/${recording}"]`).count()).toBe(2);
  await page.context().close();
});

test('the page of a recording without output says that nothing was printed', async () => {
  const id = await create('quiet');
  await used.api.post('/api/terminals/batch/run', { terminalIds: [id], command: 'true', timeoutMs: 20_000 });
  await stopRecording(used.api, await startRecording(used.api, id));
  const page = await used.open('/recordings');
  await rowOf(page, 'quiet').getByRole('link', { name: 'Play' }).click();
  await page.getByRole('alert').getByText('Nothing was printed in this recording.').waitFor();
  await page.context().close();
});

test('what was printed is found in the player, which goes to where that was', async () => {
  const id = await create('printed');
  const recording = await startRecording(used.api, id);
  const run = (command: string) =>
    used.api.post('/api/terminals/batch/run', { terminalIds: [id], command, timeoutMs: 20_000 });
  await run(String.raw`printf 'a \033[31mbad\033[0mger\n'`);
  await run('echo an $((1 + 1)) otter');
  await stopRecording(used.api, recording);
  const page = await used.open(`/recordings/${recording}`);
  const player = page.frameLocator('iframe[title="Player"]');
  await page.getByRole('searchbox', { name: 'Find in this recording' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('A BADGER');
  await page.getByRole('list', { name: 'Found' }).getByRole('button', { name: 'a badger' }).waitFor();
  // Enter comes before the page has drawn the results, as with fast hands or on a slow machine.
  await page.evaluate(`(${FIND_AT_ONCE})('an 2 otter')`);
  await player.getByText('an 2 otter').first().waitFor();
  await page.getByText('1 of 1').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('list', { name: 'Found' }).waitFor({ state: 'detached' });
  await page.context().close();
});

test('what is pressed before the player is there counts once it is', async () => {
  const id = await create('late');
  const recording = await startRecording(used.api, id);
  await used.api.post('/api/terminals/batch/run', { terminalIds: [id], command: 'echo an $((1 + 1)) otter' });
  await stopRecording(used.api, recording);
  const page = await used.open('/recordings');
  let release = () => {};
  const pressed = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/player.html', async (route) => {
    await pressed;
    await route.continue();
  });
  await page.goto(`${used.url}/recordings/${recording}`, { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Play' }).click();
  await page.keyboard.press('>');
  release();
  await page.frameLocator('iframe[title="Player"]').getByText('an 2 otter').first().waitFor();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.context().close();
});

test('the waits of an agent are marks of its recording, each once, also where a page was loaded anew', async () => {
  const id = await create('asks');
  const page = await used.open('/');
  await page.locator('.link', { hasText: 'connected' }).waitFor();
  await type(id, `${await agents.script('bin/claude', drawnAgent(CLAUDE))}\r`);
  const tile = (status: string) =>
    page.getByRole('gridcell', { name: new RegExp(`^${status} asks.*claude`) });
  await tile('idle').waitFor();
  const recording = await startRecording(used.api, id, { ...ALL_OPTIONS, include_marks: true });
  for (const turn of [1, 2]) {
    await type(id, 'w');
    // The age comes with the event, so the service, and not only the page's list, has seen the agent work.
    await tile('working').locator('time').waitFor();
    await type(id, 'p');
    await tile('waits').waitFor();
    if (turn === 1) await page.reload();
    await tile('waits').waitFor();
  }
  await stopRecording(used.api, recording);
  await page.goto(`${used.url}/recordings/${recording}`);
  const marks = page.getByRole('list', { name: 'Commands and waits' }).getByRole('button');
  await marks.first().waitFor();
  expect(await marks.allTextContents()).toEqual([
    expect.stringContaining('agent waits'),
    expect.stringContaining('agent waits'),
  ]);
  await page.locator('body').press(']');
  await page.frameLocator('iframe[title="Player"]').getByText('Do you want to proceed?').first().waitFor();
  await page.context().close();
});
