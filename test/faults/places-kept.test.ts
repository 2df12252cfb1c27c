import { readdir, writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import type { CanvasGraph, CanvasGroup, Connection } from '#dist/contract/canvas.js';
import type { LayoutTree, Pane } from '#dist/contract/layout.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;

const start = async (home?: string) => {
  service = await startService({ home });
  api = createApi(service.url);
};
const restartKilled = async (meanwhile = () => {}) => {
  const { home } = service;
  await service.kill('SIGKILL');
  meanwhile();
  await start(home);
};
afterEach(() => service?.stop());

const create = async (body: object = {}) =>
  (await api.post<Terminal>('/api/terminals', { command: ['cat'], ...body })).body;
const layout = async () => (await api.get<LayoutTree>('/api/layout')).body;
const graph = async () => (await api.get<CanvasGraph>('/api/canvas/graph')).body;
const terminalsOf = (pane: Pane): string[] =>
  pane.type === 'leaf' ? [pane.terminalId] : pane.children.flatMap(terminalsOf);

test('the layout is kept across restarts, also when the service is killed', async () => {
  await start();
  const a = await create({ name: 'left' });
  const b = await create({ tabId: a.tabId, direction: 'vertical' });
  const c = await create({ tabId: 'tb-c' });
  const short = await create({ tabId: 'tb-c' });
  const posted = await layout();
  posted.tabs[0]!.title = 'renamed';
  posted.activeTabId = a.tabId;
  expect((await api.post('/api/layout', posted)).status).toBe(200);

  await restartKilled(() => process.kill(short.pid, 'SIGKILL'));
  await eventually('its exit is known', async () => (await layout()).tabs[1]?.root.type === 'leaf');
  const after = await layout();
  expect(after.tabs.map(({ id, root }) => [id, terminalsOf(root)])).toEqual([
    [a.tabId, [a.id, b.id]],
    ['tb-c', [c.id]],
  ]);
  expect(after.tabs[0]).toEqual(posted.tabs[0]);
  expect(after.activeTabId).toBe(a.tabId);
});

test('a terminal that was moved to another tab is there after the restart, too', async () => {
  await start();
  const [a, b] = [await create(), await create()];
  const posted = await layout();
  const [from, to] = posted.tabs;
  from!.id = 'tb-moved';
  from!.title = 'moved';
  expect((await api.post('/api/layout', { ...posted, activeTabId: to!.id })).status).toBe(200);
  await restartKilled();
  expect((await api.get<Terminal>(`/api/terminals/${a.id}`)).body.tabId).toBe('tb-moved');
  expect((await api.get<Terminal>(`/api/terminals/${b.id}`)).body.tabId).toBe(b.tabId);
  expect(await layout()).toEqual({ ...posted, activeTabId: to!.id });
});

test('connections and places are kept across restarts, also when the service is killed', async () => {
  await start();
  const [a, b] = [await create(), await create()];
  const c = await create({ parentTerminalId: a.id });
  const made = await api.post<Connection>('/api/canvas/edges', { from: a.id, to: b.id, label: 'ä' });
  const doomed = await api.post<Connection>('/api/canvas/edges', { from: b.id, to: a.id });
  await api.patch(`/api/canvas/edges/${made.body.id}`, { label: 'changed' });
  await api.delete(`/api/canvas/edges/${doomed.body.id}`);
  const before = await graph();
  expect(before.connections.map(({ from, to, label }) => [from, to, label])).toEqual([
    [a.id, c.id, null],
    [a.id, b.id, 'changed'],
  ]);

  await restartKilled();
  const after = await graph();
  expect(after.connections).toEqual(before.connections);
  expect(new Set(after.nodes)).toEqual(new Set(before.nodes));
  expect(after.nodes).toHaveLength(3);

  // A service stopped in order closes its terminals, and closing a terminal deletes its connections.
  const { home } = service;
  expect(await service.kill('SIGTERM')).toBe(0);
  await start(home);
  expect(await graph()).toEqual({ nodes: [], groups: [], connections: [] });
  expect(await layout()).toEqual({ version: 1, activeTabId: null, tabs: [] });
});

test('places and groups that somebody has set are kept when the service is killed, and go with the terminal', async () => {
  await start();
  const [a, b] = [await create(), await create()];
  const box = { label: 'one', color: '#fff', x: 0, y: 0, width: 10, height: 10 };
  const { body: group } = await api.post<CanvasGroup>('/api/canvas/groups', box);
  const { body: doomed } = await api.post<CanvasGroup>('/api/canvas/groups', box);
  for (const { id } of [a, b])
    await api.put(`/api/canvas/nodes/${id}`, { x: -7.5, y: 9, width: 11, groupId: group.id });
  await api.put(`/api/canvas/nodes/${b.id}`, { groupId: doomed.id });
  await api.patch(`/api/canvas/groups/${group.id}`, { label: 'renamed' });
  await api.delete(`/api/canvas/groups/${doomed.id}`);
  const before = await graph();

  // The answer to each change means that it is on disk, so the service is killed right after the answers.
  await restartKilled();
  const after = await graph();
  expect(after.groups).toEqual([{ ...group, label: 'renamed' }]);
  expect(new Set(after.nodes)).toEqual(new Set(before.nodes));
  expect(after.nodes.find(({ terminalId }) => terminalId === a.id)).toMatchObject({
    ...{ x: -7.5, y: 9, width: 11, groupId: group.id },
  });
  expect(after.nodes.find(({ terminalId }) => terminalId === b.id)?.groupId).toBeNull();

  await api.delete(`/api/terminals/${a.id}`);
  await restartKilled();
  const { nodes, groups } = await graph();
  expect([nodes.map(({ terminalId }) => terminalId), groups.length]).toEqual([[b.id], 1]);
});

test('a damaged store never stops the start', async () => {
  await start();
  await create();
  const { home } = service;
  await service.kill('SIGTERM');

  await writeFile(`${home}/data/store/data.mdb`, Buffer.alloc(100_000, 0x5a));
  await start(home);
  expect(service.log()).toContain('the store is damaged; it was moved aside, and what can be read was kept');
  expect((await readdir(`${home}/data`)).filter((name) => name.startsWith('store.damaged-'))).toHaveLength(1);
  expect((await api.post('/api/profiles', { name: 'x', path: '/bin/sh' })).status).toBe(201);
});
