import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

const create = async (name: string) =>
  (await used.api.post<{ id: string }>('/api/terminals', { name, command: ['bash', '--norc'] })).body.id;

/** Terminal in which a program runs. */
let builder: string;
beforeAll(async () => {
  builder = await create('builder');
});

interface Answer {
  status: number;
  body: { leaseId: string; code?: string };
}

/** Sends a request as a program in the terminal `builder` would. */
async function asProgram(path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-service-terminal-id': builder };
  const response = await fetch(used.service.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

async function opened(id: string): Promise<Page> {
  const page = await used.open(`/t/${id}`);
  await page.getByText('keys go to the terminal').waitFor();
  return page;
}

const row = (page: Page, text: string) =>
  page.locator('.xterm-rows > div').getByText(text, { exact: true }).first().waitFor();

test('a person sees which program has the terminal, takes it over, types under it, and gives it back', async () => {
  const id = await create('shared');
  const lease = { ttlMs: 600_000, reason: 'mends the build' };
  const { body } = await asProgram(`/api/terminals/${id}/lease`, lease);
  const page = await opened(id);
  await page.getByText('The program in builder has it: mends the build').waitFor();
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByText('You have it: no program can type here').waitFor();
  const typed = await asProgram(`/api/terminals/${id}/input`, { data: 'x', lease: body.leaseId });
  expect([typed.status, typed.body.code]).toEqual([423, 'lease-lost']);
  const forced = await asProgram(`/api/terminals/${id}/input`, { data: 'x', whenBusy: 'force' });
  expect([forced.status, forced.body.code]).toEqual([423, 'locked']);

  await page.locator('.xterm-helper-textarea').focus();
  await page.keyboard.type('echo mine $((40 + 2))\n');
  await row(page, 'mine 42');
  await page.getByRole('button', { name: 'Give back' }).click();
  await page.getByRole('button', { name: 'Keep programs out' }).waitFor();
  const after = await asProgram(`/api/terminals/${id}/input`, { data: 'echo theirs $((40 + 3))\r' });
  expect(after.status).toBe(200);
  await row(page, 'theirs 43');
});

test('a person sees their half-typed line, and who waits for it', async () => {
  const id = await create('half typed');
  const page = await opened(id);
  await page.keyboard.type('echo half');
  await page.getByText("a person's half-typed line").waitFor();
  const waiting = asProgram(`/api/terminals/${id}/input`, {
    ...{ data: 'echo queued $((40 + 4))\r', whenBusy: 'queue', queueMs: 60_000 },
  });
  await page.getByRole('button', { name: '1 waits' }).click();
  const list = page.getByRole('dialog', { name: 'In line to type' }).getByRole('textbox');
  expect(await list.inputValue()).toBe('1. the program in builder, to type');
  await page.keyboard.press('Escape');
  // It gives the focus back to its button as it goes.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('.xterm-helper-textarea').focus();
  await page.keyboard.type('\n');
  expect((await waiting).status).toBe(200);
  await row(page, 'queued 44');
});

test('whoever has the terminal is told when a person types elsewhere, and gives it back by leaving', async () => {
  const id = await create('left');
  const [one, two] = [await opened(id), await opened(id)];
  const keep = one.getByRole('button', { name: 'Keep programs out' });
  await keep.click();
  await two.getByText('A person has it').waitFor();
  await two.keyboard.type('x');
  await one.getByText('A person has typed into the terminal from elsewhere').waitFor();
  await keep.click();
  await one.getByText('You have it').waitFor();
  await one.getByRole('link', { name: 'Wall', exact: true }).click();
  await expect
    .poll(async () => (await used.api.get<{ holder: unknown }>(`/api/terminals/${id}/lease`)).body.holder)
    .toBe(null);
});

test('a person who has a terminal is told when the service goes away, and nobody has it after that', async () => {
  const id = await create('restarted');
  const page = await opened(id);
  await page.getByRole('button', { name: 'Keep programs out' }).click();
  await page.getByText('You have it: no program can type here').waitFor();
  await used.restart(() =>
    page.getByText('You have the terminal no longer: the connection was lost').waitFor(),
  );
  await page.getByRole('button', { name: 'Keep programs out' }).waitFor();
  expect((await asProgram(`/api/terminals/${id}/input`, { data: 'x' })).status).toBe(200);
});
