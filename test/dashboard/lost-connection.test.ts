import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

const create = async (name: string) =>
  (await used.api.post<{ id: string }>('/api/terminals', { name })).body.id;

/** The text of the line below the terminal about where the keys go and what became of them. */
const status = (page: Page) => page.locator('.terminal-status [role=status]').first();

/** Whether the terminal has printed this. */
const printed = (id: string, text: string) =>
  expect
    .poll(async () => (await used.api.get<{ content: string }>(`/api/terminals/${id}/capture`)).body.content)
    .toContain(text);

test('shows what has changed while its connection was lost', async () => {
  const id = await create('before');
  const pages = await Promise.all(['/w', '/canvas', `/t/${id}`].map((path) => used.open(path)));
  const [workspace, canvas, terminal] = pages as [Page, Page, Page];
  await workspace.locator('.tab-list li').waitFor();
  await canvas.getByText('1 terminal', { exact: true }).waitFor();
  await terminal.getByRole('button', { name: 'Record' }).click();
  await terminal.getByRole('button', { name: 'Stop recording' }).waitFor();
  // The pages ask for this before they connect again.
  for (const page of pages) await page.route('**/health', (route) => route.abort('connectionrefused'));
  await used.restart();
  await create('meanwhile');
  const { recordingId } = (await used.api.get<{ recordingId?: string }>(`/api/recordings/status/${id}`)).body;
  if (recordingId) await used.api.post(`/api/recordings/stop/${recordingId}`, {});
  for (const page of pages) await page.unroute('**/health');
  await expect.poll(() => workspace.locator('.tab-list li').count()).toBe(2);
  await canvas.getByText('2 terminals').waitFor();
  await terminal.getByRole('button', { name: 'Record', exact: true }).waitFor();
});

test('shows what has changed while another page was shown', async () => {
  const page = await used.open('/w');
  const tabs = page.locator('.tab-list li');
  await tabs.first().waitFor();
  const before = await tabs.count();
  await page.getByRole('link', { name: 'Wall', exact: true }).click();
  const id = await create('elsewhere');
  await page.locator(`[data-terminal="${id}"]`).waitFor();
  await page.getByRole('link', { name: 'Workspace', exact: true }).click();
  await expect.poll(() => tabs.count()).toBe(before + 1);
});

test('says that nobody knows of a key whose answer was lost, and counts those that were not sent', async () => {
  const id = await create('answers');
  const page = await used.open('/');
  let isCut = false;
  await page.routeWebSocket(/terminals=/, (socket) => {
    const service = socket.connectToServer();
    service.onMessage((message) => {
      if (isCut && JSON.parse(String(message)).success !== undefined) void socket.close();
      else socket.send(message);
    });
  });
  await page.goto(`${used.url}/t/${id}`);
  await page.getByText('keys go to the terminal').waitFor();
  isCut = true;
  await page.keyboard.press('x');
  await expect.poll(() => status(page).textContent()).toMatch(/Nobody knows whether 1 key arrived/);
  expect(await status(page).textContent()).not.toMatch(/Not sent/);
  await printed(id, 'x');
});

test('says that the service does not answer where it hangs, and goes on once it does', async () => {
  const id = await create('hangs');
  const page = await used.open('/');
  await page.clock.install();
  await page.goto(`${used.url}/t/${id}`);
  await page.getByText('keys go to the terminal').waitFor();
  await page.locator('.link', { hasText: 'connected' }).waitFor();
  const { pid } = used.service;
  process.kill(pid, 'SIGSTOP');
  try {
    await expect
      .poll(async () => {
        await page.clock.fastForward(15_000);
        return page.locator('.banner').count();
      })
      .toBe(1);
    await page.getByText('what you type is not sent').waitFor();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await page.getByText('keys go to the terminal').waitFor();
  await page.locator('.link', { hasText: 'connected' }).waitFor();
});

test('says that nobody knows of an answer to a need that may have been typed', async () => {
  const id = await create('asked');
  const command = 'stty -echo; cat; false';
  void used.api.post('/api/terminals/batch/run', { terminalIds: [id], command: 'false', timeoutMs: 20_000 });
  const page = await used.open('/needs');
  const card = page.getByRole('listitem', { name: /asked/ });
  await card.getByRole('textbox').fill(command);
  await page.route('**/execute', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await card.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('asked was not answered, or it was and nobody knows').waitFor();
  await printed(id, command);
});

test('counts no report of the focus as a key that was not sent', async () => {
  const id = await create('focus');
  const page = await used.open(`/t/${id}`);
  await page.getByText('keys go to the terminal').waitFor();
  await page.keyboard.type("printf '\\e[?1004h'; seq 300; cat -v\n");
  await printed(id, '300');
  await page.locator('.xterm-rows').getByText('300', { exact: true }).waitFor();
  const first = page.locator('.xterm-rows > div').first();
  const below = await first.textContent();
  await page.keyboard.press('Shift+PageUp');
  await expect.poll(() => first.textContent()).not.toBe(below);
  const read = await first.textContent();
  const leave = () => page.evaluate('document.activeElement.blur()');
  await leave();
  await printed(id, '^[[O');
  expect(await first.textContent()).toBe(read);
  await page.locator('.xterm-helper-textarea').focus();
  await used.restart(async () => {
    await page.getByText('what you type is not sent').waitFor();
    await leave();
    expect(await status(page).textContent()).not.toMatch(/Not sent/);
  });
});

test('gives a terminal no size from before the connection was lost', async () => {
  const id = await create('sized');
  const size = async () => {
    const path = `/api/terminals/${id}/size`;
    const { cols, rows } = (await used.api.get<{ cols: number; rows: number }>(path)).body;
    return { cols, rows };
  };
  const page = await used.open('/');
  const sockets: Array<{ close: () => Promise<void> }> = [];
  await page.routeWebSocket(/terminals=/, (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.goto(`${used.url}/t/${id}`);
  await page.getByText('keys go to the terminal').waitFor();
  await page.route('**/health', (route) => route.abort('connectionrefused'));
  await sockets[0]!.close();
  await page.getByText('what you type is not sent').waitFor();
  await used.api.post(`/api/terminals/${id}/resize`, { cols: 101, rows: 31 });
  await expect.poll(size).toEqual({ cols: 101, rows: 31 });
  await page.unroute('**/health');
  await page.getByText('keys go to the terminal').waitFor();
  await page.keyboard.type('echo typed\n');
  await printed(id, 'typed');
  expect(await size()).toEqual({ cols: 101, rows: 31 });
});

test('is not connected while no event reaches it, whatever it has read', async () => {
  const page = await used.open('/');
  let cut = () => {};
  await page.routeWebSocket(/screens=1/, (socket) => {
    socket.connectToServer();
    cut = () => void socket.close();
  });
  await page.goto(used.url);
  await page.locator('.link', { hasText: 'connected' }).waitFor();
  await page.route('**/health', (route) => route.abort('connectionrefused'));
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const list = /api\/terminals\?.*limit=1000/;
  await page.route(list, async (route) => {
    await released;
    await route.continue();
  });
  const listed = page.waitForResponse(list);
  const id = await create('read without events');
  await page.locator(`[data-terminal="${id}"]`).waitFor();
  cut();
  await page.locator('.banner').waitFor();
  release();
  await listed;
  await page.evaluate('new Promise((done) => setTimeout(() => requestAnimationFrame(done), 0))');
  expect(await page.locator('.banner').count()).toBe(1);
  await page.unroute('**/health');
  await page.locator('.link', { hasText: 'connected' }).waitFor();
  await page.context().close();
});

test('takes no list of terminals for new that comes after a newer list', async () => {
  const gone = await create('listed: gone');
  const page = await used.open('/?q=listed:');
  const tile = (id: string) => page.locator(`[data-terminal="${id}"]`);
  await tile(gone).waitFor();
  await page.locator('.link', { hasText: 'connected' }).waitFor();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held = () => {};
  const isHeld = new Promise<void>((resolve) => {
    held = resolve;
  });
  let lists = 0;
  await page.route(/api\/terminals\?.*limit=1000/, async (route) => {
    const response = await route.fetch();
    if (lists++ === 0) {
      held();
      await released;
    }
    await route.fulfill({ response });
  });
  await create('listed: first');
  await isHeld;
  const last = await create('listed: last');
  await expect.poll(() => lists).toBe(2);
  await used.api.delete(`/api/terminals/${gone}`);
  await tile(gone).waitFor({ state: 'detached' });
  const late = page.waitForResponse(/api\/terminals\?.*limit=1000/);
  release();
  await late;
  await page.evaluate('new Promise((done) => setTimeout(() => requestAnimationFrame(done), 300))');
  expect([await tile(gone).count(), await tile(last).count()]).toEqual([0, 1]);
  await page.context().close();
});
