import type { Page } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { expectAccessible } from '../support/axe.js';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();
const made = { terminal: '', recording: '' };

beforeAll(async () => {
  const bodies = ['working', 'idle', 'failed'].map((name) => ({ name, labels: { role: name } }));
  const { body } = await used.api.post<{ results: Array<{ terminal: { id: string } }> }>(
    '/api/terminals/batch/create',
    { terminals: bodies },
  );
  const ids = body.results.map((result) => result.terminal.id);
  const terminalId = ids[2]!;
  made.terminal = terminalId;
  const started = await used.api.post<{ recordingId: string }>('/api/recordings/start', {
    terminal_id: terminalId,
  });
  await used.api.post('/api/terminals/batch/run', { terminalIds: [terminalId], command: 'false' });
  made.recording = started.body.recordingId;
  await used.api.post(`/api/recordings/stop/${made.recording}`, {});
  await used.api.post('/api/recordings/start', { terminal_id: ids[1] });
  await used.api.post(`/api/terminals/${ids[0]}/input`, { data: 'sleep 600\r' });
  await used.api.patch('/api/settings', { audit: { enabled: true } });
  await used.api.post('/api/tokens', { name: 'ci', verbs: ['read'], selector: 'role=idle' });
  await used.api.post('/api/watches', { text: 'rate limit' });
  const hook = { name: 'hook', url: 'http://127.0.0.1:1/', types: ['run.finished'] };
  const { id } = (await used.api.post<{ id: string }>('/api/webhooks', hook)).body;
  await used.api.post(`/api/webhooks/${id}/test`, {});
  await used.api.post(`/api/terminals/${terminalId}/lease`, { ttlMs: 600_000, reason: 'mends it' });
  await used.api.post(`/api/terminals/${terminalId}/prompts`, { prompt: 'npm test' });
  const cut = { prompt: 'npm run build', expiresInMs: 0 };
  await used.api.post(`/api/terminals/${terminalId}/prompts`, cut);
});

/** A page, the selector that shows it is drawn, and an action on the page with the selector that shows its effect. */
interface Shown {
  path: string | (() => string);
  ready: string;
  opens?: (page: Page) => Promise<void>;
  shows?: string;
}

const key = (name: string) => (page: Page) => page.keyboard.press(name);
const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();
/** Resets the time of the last look, so that everything counts as news. */
const forgetLooks = async (page: Page) => {
  const url = page.url();
  await page.goto(`${used.url}/machines`);
  await page.evaluate(`localStorage.setItem('auto-terminal.looks', '{"begun":1,"of":{}}')`);
  await page.goto(url);
};
const DIALOG = 'dialog[open]';

const PAGES: Readonly<Record<string, Shown>> = {
  wall: { path: '/', ready: '[role=gridcell]' },
  needs: { path: '/needs', ready: '[data-need]' },
  terminal: { path: () => `/t/${made.terminal}`, ready: '.xterm-rows' },
  'text found in a terminal': {
    path: () => `/t/${made.terminal}`,
    ready: '.xterm-rows',
    opens: button('Find'),
    shows: '.find-bar',
  },
  'news of a terminal': {
    path: () => `/t/${made.terminal}`,
    ready: '.xterm-rows',
    opens: forgetLooks,
    shows: '.since-looked',
  },
  'news on the wall': { path: '/', ready: '[role=gridcell]', opens: forgetLooks, shows: '.tile-news' },
  'text found in a recording': {
    path: () => `/recordings/${made.recording}`,
    ready: '.player-marks button',
    opens: async (page) => {
      await page.getByRole('searchbox', { name: 'Find in this recording' }).fill('false');
    },
    shows: '.player-marks[aria-label=Found] button',
  },
  search: { path: '/search?q=false', ready: 'h1' },
  processes: { path: '/processes', ready: 'td' },
  recordings: { path: '/recordings', ready: 'td' },
  player: { path: () => `/recordings/${made.recording}`, ready: '.player-marks button' },
  workspace: { path: '/w', ready: '.pane' },
  canvas: { path: '/canvas', ready: '.react-flow__node' },
  machines: { path: '/machines', ready: '.machine' },
  'audit log': { path: '/guardrails/audit', ready: 'td' },
  tokens: { path: '/guardrails/tokens', ready: 'td' },
  'new token': { path: '/guardrails/tokens', ready: 'td', opens: button('New token…'), shows: DIALOG },
  watches: { path: '/guardrails/watches', ready: 'td' },
  'new watch': { path: '/guardrails/watches', ready: 'td', opens: button('New watch…'), shows: DIALOG },
  webhooks: { path: '/guardrails/webhooks', ready: 'td' },
  deliveries: {
    path: '/guardrails/webhooks',
    ready: 'td',
    opens: button('Deliveries hook'),
    shows: `${DIALOG} td`,
  },
  'limits of new terminals': { path: '/guardrails/limits', ready: 'td' },
  'a terminal that a program has': { path: () => `/t/${made.terminal}`, ready: '.holder-other:not(:empty)' },
  'prompts of a terminal': {
    path: () => `/t/${made.terminal}`,
    ready: '.xterm-rows',
    opens: button('Queue a prompt…'),
    shows: `${DIALOG} .prompt-lists ul li`,
  },
  settings: { path: '/settings', ready: '.facts' },
  'unknown address': { path: '/nowhere', ready: 'h1' },
  'list of keys': { path: '/', ready: '[role=gridcell]', opens: key('?'), shows: DIALOG },
  palette: { path: '/', ready: '[role=gridcell]', opens: key('Control+k'), shows: `${DIALOG} [role=option]` },
  batch: { path: '/?q=role=idle', ready: '[role=gridcell]', opens: key('b'), shows: '.batch-form' },
  'new profile': { path: '/settings', ready: '.facts', opens: button('New profile…'), shows: DIALOG },
  'replaced token': { path: '/settings', ready: '.facts', opens: button('Replace…'), shows: DIALOG },
  'closed terminal': {
    path: () => `/t/${made.terminal}`,
    ready: '.xterm-rows',
    opens: button('Close'),
    shows: DIALOG,
  },
};

async function draw(page: Page, { ready, opens, shows }: Shown): Promise<void> {
  await page.locator(ready).first().waitFor();
  await opens?.(page);
  if (shows !== undefined) await page.locator(shows).first().waitFor();
}

test.for(Object.entries(PAGES))('%s breaks no rule of axe', async ([, shown]) => {
  const page = await used.open(typeof shown.path === 'string' ? shown.path : shown.path());
  await expectAccessible(page, () => draw(page, shown));
  await page.context().close();
});
