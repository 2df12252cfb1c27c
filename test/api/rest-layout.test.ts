import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LayoutTree, LeafPane, Pane } from '#dist/contract/layout.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await sharedService();
  api = createApi(service.url);
});
afterAll(() => service?.stop());
beforeEach(async () => {
  const { body } = await api.get<{ terminals: Terminal[] }>('/api/terminals?status=all');
  await Promise.all(body.terminals.map(({ id }) => api.delete(`/api/terminals/${id}`)));
});

const create = async (body: object = {}) =>
  (await api.post<Terminal>('/api/terminals', { command: ['cat'], ...body })).body;
const layout = async () => (await api.get<LayoutTree>('/api/layout')).body;
const terminals = async () => (await api.get<{ terminals: Terminal[] }>('/api/terminals')).body.terminals;
const leaves = (pane: Pane): LeafPane[] => (pane.type === 'leaf' ? [pane] : pane.children.flatMap(leaves));
/** Tab id and terminals of each tab. */
const shape = ({ tabs }: LayoutTree) =>
  tabs.map(({ id, root }) => [id, ...leaves(root).map(({ terminalId }) => terminalId)]);
/** Checks that layout and terminals agree on the tab of each terminal. */
const expectAgreement = async () => {
  const inLayout = shape(await layout()).flatMap(([tab, ...ids]) => ids.map((id) => [id, tab]));
  const inTerminals = (await terminals()).map(({ id, tabId }) => [id, tabId]);
  expect(inTerminals.sort()).toEqual(inLayout.sort());
};

describe('GET /api/layout', () => {
  test('{version: 1, activeTabId, tabs}; without terminals there are no tabs', async () => {
    const { status, body } = await api.get('/api/layout');
    expect([status, body]).toEqual([200, { version: 1, activeTabId: null, tabs: [] }]);
  });

  test('a tab {id, title, activePaneId, root} with a leaf {type, id, terminalId}', async () => {
    const { id, tabId } = await create({ name: 'build' });
    expect(tabId).toMatch(/^tb-[0-9a-f]{9}$/);
    const body = await layout();
    const pane = (body.tabs[0]!.root as LeafPane).id;
    expect(pane).toMatch(/^pn-[0-9a-f]{9}$/);
    expect(body).toEqual({
      version: 1,
      activeTabId: tabId,
      tabs: [
        {
          id: tabId,
          title: 'build',
          activePaneId: pane,
          root: { type: 'leaf', id: pane, terminalId: id },
        },
      ],
    });
  });
});

describe('creating a terminal', () => {
  test('tabId attaches to an existing tab; an unknown one makes a tab of that id', async () => {
    const a = await create({ tabId: 'tb-mine' });
    const b = await create({ tabId: 'tb-mine' });
    expect([a.tabId, b.tabId]).toEqual(['tb-mine', 'tb-mine']);
    expect(shape(await layout())).toEqual([['tb-mine', a.id, b.id]]);
  });

  test('direction `horizontal` splits right, `vertical` splits bottom; sizes are fractions', async () => {
    const { id: a, tabId } = await create();
    const { id: b } = await create({ tabId, direction: 'horizontal' });
    const { id: c } = await create({ tabId, direction: 'vertical' });
    const { tabs } = await layout();
    const leaf = (terminalId: string) => ({ type: 'leaf', id: expect.any(String), terminalId });
    const id = expect.stringMatching(/^pn-[0-9a-f]{9}$/);
    expect(tabs[0]!.root).toEqual({
      type: 'split',
      id,
      direction: 'horizontal',
      sizes: [0.5, 0.5],
      children: [
        leaf(a),
        { type: 'split', id, direction: 'vertical', sizes: [0.5, 0.5], children: [leaf(b), leaf(c)] },
      ],
    });
    expect(leaves(tabs[0]!.root).find((pane) => pane.id === tabs[0]!.activePaneId)?.terminalId).toBe(c);
  });

  test('paneId is the pane that is split, also without its tabId', async () => {
    const { id: a, tabId } = await create();
    const { id: b } = await create({ tabId });
    await create();
    const paneId = leaves((await layout()).tabs[0]!.root)[0]!.id;
    const c = await create({ paneId });
    const d = await create({ paneId, tabId });
    expect([c.tabId, d.tabId]).toEqual([tabId, tabId]);
    const after = await layout();
    expect(shape(after)[0]).toEqual([tabId, a, d.id, c.id, b]);
    expect(after.activeTabId).toBe(tabId);
    await expectAgreement();
  });

  test('404 Pane not found for a paneId that is unknown or in another tab; nothing is started', async () => {
    const { tabId } = await create();
    const other = await create();
    const before = await layout();
    const otherPane = leaves(before.tabs[1]!.root)[0]!;
    expect(otherPane.terminalId).toBe(other.id);
    for (const request of [{ paneId: 'pn-000000000' }, { paneId: otherPane.id, tabId }]) {
      const { status, body } = await api.post<Failure>('/api/terminals', request);
      expect([status, body]).toEqual([404, failed('Pane not found')]);
    }
    expect(await terminals()).toHaveLength(2);
    expect(await layout()).toEqual(before);
  });
});

test('a terminal that exits or is closed leaves the layout, its empty tab too', async () => {
  const a = await create();
  const b = await create({ tabId: a.tabId });
  const quick = await create({ tabId: a.tabId, command: ['true'] });
  const alone = await create();
  await eventually('the exited one has left', async () => !JSON.stringify(await layout()).includes(quick.id));
  await api.delete(`/api/terminals/${alone.id}`);
  const after = await layout();
  expect(shape(after)).toEqual([[a.tabId, a.id, b.id]]);
  expect(after.activeTabId).toBe(a.tabId);
  await api.delete(`/api/terminals/${b.id}`);
  expect((await layout()).tabs[0]!.root).toMatchObject({ type: 'leaf', terminalId: a.id });
});

describe('POST /api/layout', () => {
  const leaf = (terminalId: string): LeafPane => ({ type: 'leaf', id: `my-${terminalId}`, terminalId });

  test('takes an answer of GET: {status: ok, missing: []}', async () => {
    const { tabId } = await create();
    await create({ tabId, direction: 'vertical' });
    await create();
    const before = await layout();
    const { status, body } = await api.post('/api/layout', before);
    expect([status, body]).toEqual([200, { status: 'ok', missing: [] }]);
    expect(await layout()).toEqual(before);
  });

  test('moves terminals between tabs; Terminal.tabId follows', async () => {
    const [a, b, c] = [await create(), await create(), await create()];
    const root: Pane = {
      type: 'split',
      id: 'my-split',
      direction: 'vertical',
      sizes: [0.2, 0.8],
      children: [leaf(c.id), leaf(a.id)],
    };
    const posted: LayoutTree = {
      version: 1,
      activeTabId: 'my tab',
      tabs: [
        { id: 'my tab', title: 'Mine', activePaneId: `my-${a.id}`, root },
        { id: b.tabId, title: 'b', activePaneId: `my-${b.id}`, root: leaf(b.id) },
      ],
    };
    expect((await api.post('/api/layout', posted)).body).toEqual({ status: 'ok', missing: [] });
    expect(await layout()).toEqual(posted);
    expect((await api.get<Terminal>(`/api/terminals/${a.id}`)).body.tabId).toBe('my tab');
    await expectAgreement();
    const next = await create({ tabId: 'my tab' });
    expect(shape(await layout())[0]).toEqual(['my tab', c.id, a.id, next.id]);
  });

  test('terminals that no longer exist are dropped and named in `missing`', async () => {
    const [a, gone] = [await create(), await create()];
    const before = await layout();
    await api.delete(`/api/terminals/${gone.id}`);
    const { status, body } = await api.post('/api/layout', before);
    expect([status, body]).toEqual([200, { status: 'ok', missing: [gone.id] }]);
    expect(shape(await layout())).toEqual([[a.tabId, a.id]]);
  });

  test('running terminals that it does not mention get tabs of their own', async () => {
    const [a, b] = [await create(), await create()];
    const c = await create({ tabId: b.tabId });
    const tab = { id: b.tabId, title: '', activePaneId: `my-${a.id}`, root: leaf(a.id) };
    await api.post('/api/layout', { version: 1, activeTabId: b.tabId, tabs: [tab] });
    const after = shape(await layout());
    expect(after).toEqual([
      [b.tabId, a.id],
      [expect.stringMatching(/^tb-/), b.id],
      [expect.stringMatching(/^tb-/), c.id],
    ]);
    await expectAgreement();
  });

  test('invalid: 400 {error}, and nothing changes', async () => {
    const { id, tabId } = await create();
    const before = await layout();
    const tab = { id: tabId, title: 't', activePaneId: 'p', root: { type: 'leaf', id: 'p', terminalId: id } };
    const valid = { version: 1, activeTabId: tabId, tabs: [tab] };
    const rootOf = (root: unknown) => ({ ...valid, tabs: [{ ...tab, root }] });
    const splitOf = (rest: object) =>
      rootOf({ type: 'split', id: 's', direction: 'horizontal', sizes: [1], children: [tab.root], ...rest });
    const invalid: unknown[] = [
      undefined,
      [],
      { ...valid, version: 2 },
      { ...valid, tabs: 'none' },
      { ...valid, activeTabId: 'tb-other' },
      { ...valid, tabs: [tab, tab] },
      { ...valid, tabs: [{ ...tab, activePaneId: 'other' }] },
      rootOf({ type: 'window' }),
      splitOf({ sizes: [0.5, 0.5] }),
      splitOf({ sizes: [0] }),
      splitOf({ sizes: [-1] }),
      splitOf({ direction: 'diagonal' }),
      splitOf({ children: [] }),
      splitOf({ sizes: [1, 1], children: [tab.root, { ...tab.root, id: 'q' }] }),
    ];
    for (const body of invalid) {
      const { status, body: answer } = await api.post<Failure>('/api/layout', body);
      expect([status, answer]).toEqual([400, failed()]);
    }
    expect(await layout()).toEqual(before);
    expect((await api.post('/api/layout', valid)).status).toBe(200);
  });

  test('nested without end: 400, as quickly as any', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = `{"tabs":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`;
    const answer = await api.raw({ method: 'POST', path: '/api/layout', headers, body });
    const error = 'body: panes are nested deeper than 50 splits';
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([400, { error, code: 'invalid-request' }]);
  });
});
