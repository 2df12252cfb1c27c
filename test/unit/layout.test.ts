import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Layout } from '#dist/actors/layout/layout.js';
import { leavesOf } from '#dist/actors/layout/tree.js';
import { created, exited, type TestStore, terminal, testStore } from '../support/events.js';

let disk: TestStore;
let moved: [string, string][];
let layout: Layout;

beforeEach(async () => {
  disk = await testStore();
  layout = layoutOn(disk);
});
afterEach(async () => {
  await layout.settled();
  expect(disk.errors).toEqual([]);
  await disk.end();
});

function layoutOn({ store, logger }: TestStore): Layout {
  moved = [];
  return new Layout({ store, logger, onMoved: (id, tabId) => void moved.push([id, tabId]) });
}
const add = (id: string, tabId = `tb-${id}`, placement = {}) =>
  layout.onEvent(created(terminal(id, { tabId }), placement));
const tabs = () =>
  layout.get().tabs.map((tab) => [tab.id, ...leavesOf(tab.root).map((leaf) => leaf.terminalId)]);
const paneOf = (id: string) =>
  layout
    .get()
    .tabs.flatMap(({ root }) => leavesOf(root))
    .find((leaf) => leaf.terminalId === id)!.id;
const active = () => {
  const { activeTabId, tabs } = layout.get();
  const tab = tabs.find(({ id }) => id === activeTabId);
  return [activeTabId, tab && leavesOf(tab.root).find(({ id }) => id === tab.activePaneId)?.terminalId];
};

describe('a terminal that is created', () => {
  test('without a tab gets one, titled by its name, in front', () => {
    add('a');
    add('b');
    expect(layout.get()).toEqual({
      version: 1,
      activeTabId: 'tb-b',
      tabs: ['a', 'b'].map((id) => ({
        id: `tb-${id}`,
        title: `name of ${id}`,
        activePaneId: paneOf(id),
        root: { type: 'leaf', id: expect.stringMatching(/^pn-[0-9a-f]{9}$/), terminalId: id },
      })),
    });
  });

  test('in a tab splits its active pane, side by side by default', () => {
    add('a');
    add('b', 'tb-a');
    add('c', 'tb-a', { direction: 'vertical' });
    expect(layout.get().tabs[0]!.root).toMatchObject({
      direction: 'horizontal',
      sizes: [0.5, 0.5],
      children: [
        { terminalId: 'a' },
        { direction: 'vertical', sizes: [0.5, 0.5], children: [{ terminalId: 'b' }, { terminalId: 'c' }] },
      ],
    });
    expect(active()).toEqual(['tb-a', 'c']);
  });

  test('beside a pane splits that pane, and brings its tab to the front', () => {
    add('a');
    add('b', 'tb-a');
    add('other');
    add('c', layout.tabFor({ paneId: paneOf('a') }), { paneId: paneOf('a') });
    expect(tabs()).toEqual([
      ['tb-a', 'a', 'c', 'b'],
      ['tb-other', 'other'],
    ]);
    expect(active()).toEqual(['tb-a', 'c']);
  });

  test('beside a pane removed while it was started takes its tab; a removed tab is made anew', () => {
    add('a');
    add('b', 'tb-a');
    const pane = paneOf('b');
    layout.onEvent(exited('b'));
    add('c', 'tb-a', { paneId: pane });
    expect(tabs()).toEqual([['tb-a', 'a', 'c']]);
    layout.onEvent(exited('a'));
    layout.onEvent(exited('c'));
    add('d', 'tb-a', { paneId: pane });
    expect(tabs()).toEqual([['tb-a', 'd']]);
  });
});

describe('the tab for a request', () => {
  test('is the one it names, or that of the pane, or a new one', () => {
    add('a');
    expect(layout.tabFor({ tabId: 'tb-a' })).toBe('tb-a');
    expect(layout.tabFor({ tabId: 'of my own' })).toBe('of my own');
    expect(layout.tabFor({ paneId: paneOf('a') })).toBe('tb-a');
    expect(layout.tabFor({ paneId: paneOf('a'), tabId: 'tb-a' })).toBe('tb-a');
    for (const request of [{}, { tabId: '' }, { paneId: '' }])
      expect(layout.tabFor(request)).toMatch(/^tb-[0-9a-f]{9}$/);
  });

  test('is refused for an unknown pane, a pane of another tab, or an inner node', () => {
    add('a');
    add('b');
    add('c', 'tb-b');
    const splitId = layout.get().tabs[1]!.root.id;
    for (const request of [
      { paneId: 'pn-none' },
      { paneId: paneOf('a'), tabId: 'tb-b' },
      { paneId: splitId },
    ])
      expect(() => layout.tabFor(request)).toThrow('Pane not found');
  });
});

describe('a terminal that is removed', () => {
  test('takes its pane and its empty tab along; a neighbour becomes active', () => {
    for (const id of ['a', 'b', 'c']) add(id);
    add('b2', 'tb-b');
    add('b3', 'tb-b');
    expect(active()).toEqual(['tb-b', 'b3']);
    layout.onEvent(exited('b3'));
    expect(active()).toEqual(['tb-b', 'b2']);
    layout.onEvent({ type: 'removed', id: 'b3', reason: 'expired' });
    layout.onEvent({ type: 'removed', id: 'b', reason: 'closed' });
    expect(tabs()).toEqual([
      ['tb-a', 'a'],
      ['tb-b', 'b2'],
      ['tb-c', 'c'],
    ]);
    layout.onEvent(exited('b2'));
    expect(active()).toEqual(['tb-c', 'c']);
    layout.onEvent(exited('c'));
    expect(active()).toEqual(['tb-a', 'a']);
    layout.onEvent({ type: 'removed', id: 'a', reason: 'lost' });
    expect(layout.get()).toEqual({ version: 1, activeTabId: null, tabs: [] });
  });
});

describe('after a restart', () => {
  test('the layout is there, without terminals that ended meanwhile, and with new ones', async () => {
    add('a');
    add('b', 'tb-a');
    add('c');
    add('d');
    const before = layout.get();
    await layout.settled();
    disk = await disk.reopen();
    layout = layoutOn(disk);
    expect(layout.get()).toEqual(before);
    layout.reconcile([
      terminal('a', { tabId: 'tb-a' }),
      terminal('c', { tabId: 'another by its own account' }),
      terminal('new'),
      terminal('beside', { tabId: 'tb-a' }),
      terminal('b', { tabId: 'tb-a', status: 'exited' }),
    ]);
    expect(tabs()).toEqual([
      ['tb-a', 'a', 'beside'],
      ['tb-c', 'c'],
      ['tb-new', 'new'],
    ]);
    // The front tab ended with d; tabs that are already in the layout come before newly found tabs.
    expect(active()).toEqual(['tb-c', 'c']);
    expect(moved).toEqual([['c', 'tb-c']]);
  });

  test('without a stored layout the first tab is in front', () => {
    layout.reconcile([terminal('a'), terminal('b')]);
    expect(active()).toEqual(['tb-a', 'a']);
  });
});

describe('a layout that a client posts', () => {
  const leaf = (terminalId: string) => ({ type: 'leaf' as const, id: `p-${terminalId}`, terminalId });

  test('is taken over: missing terminals are named, forgotten ones get tabs of their own', async () => {
    for (const id of ['a', 'b', 'c', 'd']) add(id);
    add('d2', 'tb-d');
    const root = {
      type: 'split' as const,
      id: 's',
      direction: 'vertical' as const,
      sizes: [0.2, 0.3, 0.5],
      children: [leaf('b'), leaf('gone'), leaf('a')],
    };
    const posted = [
      { id: 'tb-c', title: 'mine', activePaneId: 'p-gone', root },
      { id: 'empty', title: '', activePaneId: 'p-gone2', root: leaf('gone2') },
    ];
    expect(await layout.restore({ version: 1, activeTabId: 'empty', tabs: posted })).toEqual({
      missing: ['gone', 'gone2'],
    });
    const { activeTabId, tabs: restored } = layout.get();
    expect(restored[0]).toMatchObject({ title: 'mine', activePaneId: 'p-a', root: { id: 's' } });
    expect(activeTabId).toBe('tb-c');
    expect(tabs()).toEqual([
      ['tb-c', 'b', 'a'],
      [expect.stringMatching(/^tb-[0-9a-f]{9}$/), 'c'],
      ['tb-d', 'd'],
      [expect.stringMatching(/^tb-[0-9a-f]{9}$/), 'd2'],
    ]);
    expect(moved).toEqual([
      ['b', 'tb-c'],
      ['a', 'tb-c'],
      ['c', restored[1]!.id],
      ['d2', restored[3]!.id],
    ]);
  });

  test('that forgets everything leaves every terminal reachable', async () => {
    add('a');
    add('b');
    await layout.restore({ version: 1, activeTabId: null, tabs: [] });
    expect(tabs()).toEqual([
      ['tb-a', 'a'],
      ['tb-b', 'b'],
    ]);
    expect(active()).toEqual(['tb-a', 'a']);
    expect(moved).toEqual([]);
  });

  test('that is invalid changes nothing', async () => {
    add('a');
    const before = layout.get();
    const tab = { id: 'tb-x', title: '', activePaneId: 'p-none', root: leaf('a') };
    const posted = layout.restore({ version: 1, activeTabId: 'tb-x', tabs: [tab] });
    await expect(posted).rejects.toMatchObject({ code: 'invalid-request' });
    expect(layout.get()).toEqual(before);
  });
});
