import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from '../http.js';
import type { Tour } from './tour.js';

/** The place of the examples: the home of a user with a project in it. */
export interface Stage {
  home: string;
  shop: string;
}

const FILES: Record<string, string> = {
  '.bashrc': "PS1='ada@devbox:\\w$ '\n",
  'shop/test.sh': "#!/bin/sh\nprintf 'cart: 5 passed\\norders: 7 passed\\n12 tests passed\\n'\n",
  'shop/serve.sh': "#!/bin/sh\necho 'shop listens on http://localhost:3000'\nwhile :; do sleep 1000; done\n",
};

/** Builds the stage in a folder. */
export async function buildStage(home: string): Promise<Stage> {
  const shop = join(home, 'shop');
  await mkdir(shop, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(home, name), text, { mode: 0o755 });
  return { home, shop };
}

interface Created {
  id: string;
}

/** Waits until the shell of each terminal takes a command; these requests are not examples. */
export async function settle({ api }: Tour, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    const { body } = await api.post<{ done: boolean }>(`/api/terminals/${id}/wait`, { until: 'prompt' });
    if (!body.done) throw new Error(`the shell of ${id} shows no prompt`);
  }
}

/** Shows the service, its machine and its profiles; resolves with the id of a profile. */
export async function lookAround(tour: Tour, { shop }: Stage): Promise<string> {
  await tour.call('GET /health');
  await tour.call('GET /api/health');
  await tour.call('GET /api/system/info');
  await tour.call('GET /api/system/tmux-status');
  await tour.call('GET /api/fleet/machines');
  const profile = { name: 'Shop', path: '/bin/bash', args: [], env: { NODE_ENV: 'test' }, cwd: shop };
  const { id } = await tour.call<Created>('POST /api/profiles', { body: profile });
  const body = { ...profile, icon: 'cart' };
  await tour.call('PUT /api/profiles/{id}', { path: { id }, body });
  await tour.call('GET /api/profiles/{id}', { path: { id } });
  await tour.call('GET /api/profiles');
  return id;
}

/** Opens two terminals side by side in a tab, for tests and for a server. */
export async function openTerminals(tour: Tour, { shop }: Stage): Promise<{ tests: string; server: string }> {
  const path = (id: string) => ({ path: { id } });
  const { id: tests } = await tour.call<Created>('POST /api/terminals', {
    headers: { 'idempotency-key': 'open-shop-tests' },
    body: {
      name: 'shop tests',
      profileId: 'bash',
      cwd: shop,
      cols: 100,
      rows: 30,
      env: { CI: '1' },
      labels: { repo: 'shop', role: 'test' },
      limits: { memoryBytes: 4 * 1024 ** 3 },
    },
  });
  const layout = await tour.call<{ tabs: { root: { id: string } }[] }>('GET /api/layout');
  const { body } = await tour.api.post<Created>('/api/terminals', {
    name: 'shop server',
    profileId: 'bash',
    cwd: shop,
    parentTerminalId: tests,
    paneId: layout.tabs[0]!.root.id,
    direction: 'horizontal',
    labels: { repo: 'shop', role: 'server' },
  });
  const server = body.id;
  const { results } = await tour.call<{ results: { terminal: Created }[] }>(
    'POST /api/terminals/batch/create',
    {
      headers: { 'idempotency-key': 'open-two-more' },
      body: {
        terminals: ['lint', 'docs'].map((role) => ({ profileId: 'bash', cwd: shop, labels: { role } })),
      },
    },
  );
  for (const { terminal } of results) await tour.api.delete(`/api/terminals/${terminal.id}`);
  await settle(tour, tests, server);
  await tour.call('GET /api/terminals', { query: { status: 'all', selector: 'repo=shop', view: 'full' } });
  await tour.call('GET /api/terminals/{id}', path(server));
  await tour.call('GET /api/caller', { headers: { 'x-service-terminal-id': tests } });
  const change = { name: 'shop unit tests', labels: { suite: 'unit' } };
  await tour.call('PATCH /api/terminals/{id}', { ...path(tests), body: change });
  await tour.call('GET /api/terminals/{id}/size', path(tests));
  const size = { cols: 120, rows: 32 };
  await tour.call('POST /api/terminals/{id}/size', { ...path(tests), body: size });
  await tour.call('POST /api/terminals/{id}/resize', { ...path(server), body: size });
  const reflow = { ...size, capture_content: true };
  await tour.call('POST /api/terminals/{id}/resize-reflow', { ...path(tests), body: reflow });
  const resize = () => tour.api.post(`/api/terminals/${server}/size`, { cols: 100, rows: 30 });
  await tour.call('GET /api/events', {
    query: { types: 'terminal.*,command.finished', selector: 'repo=shop' },
    stream: { messages: 2, meanwhile: resize },
  });
  return { tests, server };
}

/** Changes the layout and the canvas. */
export async function arrange(tour: Tour, tests: string, server: string): Promise<void> {
  const { body: layout } = await tour.api.get<{ tabs: object[] }>('/api/layout');
  const tabs = layout.tabs.map((tab) => ({ ...tab, title: 'shop' }));
  await tour.call('POST /api/layout', { body: { ...layout, tabs } });
  const body = { from: server, to: tests, label: 'is tested by' };
  const { id } = await tour.call<Created>('POST /api/canvas/edges', { body });
  await tour.call('POST /api/canvas/edges', { body });
  await tour.call('PATCH /api/canvas/edges/{id}', { path: { id }, body: { label: 'tested by' } });
  await tour.call('GET /api/terminals/{id}/connections', { path: { id: server } });
  const group = { label: 'shop', color: '#3b82f6', x: -40, y: -40, width: 1_100, height: 400 };
  const { id: groupId } = await tour.call<Created>('POST /api/canvas/groups', { body: group });
  await tour.call('PUT /api/canvas/nodes/{terminalId}', {
    path: { terminalId: server },
    body: { x: 560, y: 0, width: 480, height: 320, groupId },
  });
  const path = { id: groupId };
  await tour.call('PATCH /api/canvas/groups/{id}', { path, body: { label: 'the shop', color: '#10b981' } });
  await tour.call('GET /api/canvas/graph');
  await tour.call('DELETE /api/canvas/groups/{id}', { path });
  await tour.call('DELETE /api/canvas/edges/{id}', { path: { id } });
}

/** Logs a browser in and out, at the dashboard. */
export async function logIn(tour: Tour, dashboard: Api): Promise<void> {
  await tour.call('GET /session', {}, dashboard);
  await tour.call('POST /session', { body: { token: '5eb1'.repeat(16) } }, dashboard);
  await tour.call('DELETE /session', {}, dashboard);
}

/** Calls the routes of settings, and routes of older clients. */
export async function settingsAndStubs(tour: Tour, tests: string, profile: string): Promise<void> {
  const limits = { maxTerminals: 40, perLabel: [{ selector: 'role=test', max: 8 }] };
  await tour.api.patch('/api/settings', { limits });
  await tour.call('GET /api/limits');
  await tour.api.patch('/api/settings', { limits: null });
  await tour.call('GET /api/settings', { query: { reveal: 'false' } });
  const body = {
    terminals: { scrollback: 5_000 },
    cliTypes: { my_repl: { submit: '\r', submitDelayMs: 50 } },
  };
  await tour.call('PATCH /api/settings', { body });
  await tour.call('POST /api/settings/token/rotate');
  await tour.call('POST /api/profiles/{id}/default', { path: { id: profile } });
  await tour.call('POST /api/terminals/{id}/reset', { path: { id: tests } });
  await tour.call('GET /api/system/metrics');
  await tour.call('GET /api/search/history');
  await tour.call('POST /api/auth/token', { body: { clientId: 'old-client', permissions: ['read'] } });
}
