import { describe, expect, test } from 'vitest';
import { matches, SORTS, type Sort, sorted } from '#dist/command/top/order.js';
import { TopTable } from '#dist/command/top/table.js';
import { commandOf, viewOf } from '../support/terminal-view.js';

const waiting = viewOf({ name: 'w', agent: 'claude', agentStatus: 'waiting', labels: { role: 'z' } });
const failed = viewOf({ name: 'b 10', command: commandOf('make', 2, 50) });
const done = viewOf({ name: 'b 9', command: commandOf('ls', 0, 90), labels: { role: 'a' } });
const busy = viewOf({ name: 'a', atPrompt: false, command: commandOf('top', null, null) });
const ended = viewOf({ name: 'x', status: 'exited', exitCode: 0, currentApp: null, atPrompt: null });
const ALL = [done, ended, busy, failed, waiting];

describe('the order', () => {
  test.each<[Sort, string[]]>([
    ['state', ['w', 'a', 'b 9', 'b 10', 'x']],
    ['name', ['a', 'b 9', 'b 10', 'w', 'x']],
    ['runs', ['x', 'b 9', 'a', 'b 10', 'w']],
    ['last', ['b 10', 'b 9', 'a', 'x', 'w']],
    ['age', ['x', 'a', 'b 9', 'b 10', 'w']],
    ['labels', ['x', 'a', 'b 10', 'b 9', 'w']],
  ])('by %s', (sort, names) => {
    expect(sorted(ALL, sort).map(({ name }) => name)).toEqual(names);
  });
});

describe('the filter', () => {
  const view = viewOf({
    ...{ id: 'term_abc', name: 'Worker 1', labels: { role: 'test', repo: 'api' } },
    ...{ agent: 'claude', currentApp: { pid: 2, name: 'node' } },
  });
  test.each([
    ['', true],
    ['worker', true],
    ['TERM_AB', true],
    ['role=test', true],
    ['claude', true],
    ['node', true],
    ['1 api', true],
    ['worker 2', false],
    // Words are looked for in one place, not across two.
    ['1term', false],
  ])('%j: %s', (filter, isShown) => {
    expect(matches(view, filter)).toBe(isShown);
  });
});

/** A table of some terminals, in a window of three rows. */
function tableOf(names: readonly string[]): TopTable {
  const table = new TopTable('name');
  table.views = names.map((name) => viewOf({ id: `term_${name}`, name }));
  table.window(3);
  return table;
}

const press = (table: TopTable, ...keys: string[]) => keys.map((key) => table.press(key)).at(-1);
const shown = (table: TopTable) => table.window(3).map(({ name }) => name);

describe('the selection', () => {
  test('moves by keys, and the window with it', () => {
    const table = tableOf(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const places = (...keys: string[]) => {
      press(table, ...keys);
      return [table.selected?.name, shown(table).join('')];
    };
    expect(places('j')).toEqual(['b', 'abc']);
    expect(places('down', 'down')).toEqual(['d', 'bcd']);
    expect(places('k')).toEqual(['c', 'bcd']);
    expect(places('pagedown')).toEqual(['f', 'def']);
    expect(places('pagedown')).toEqual(['g', 'efg']);
    expect(places('pageup')).toEqual(['d', 'def']);
    expect(places('home')).toEqual(['a', 'abc']);
    expect(places('up')).toEqual(['a', 'abc']);
    expect(places('end')).toEqual(['g', 'efg']);
    expect(table.range).toEqual({ from: 4, to: 7 });
  });

  test('is the first terminal, whichever that is, until the person moves it', () => {
    const table = tableOf(['c', 'd']);
    table.views = [...table.views, viewOf({ name: 'a' })];
    expect(table.selected?.name).toBe('a');
    press(table, 'j');
    table.views = [...table.views, viewOf({ name: 'b' })];
    expect([table.selected?.name, shown(table).join('')]).toEqual(['c', 'abc']);
    press(table, 'home');
    table.views = [...table.views, viewOf({ name: '0' })];
    expect(table.selected?.name).toBe('0');
  });

  test('stays at its place when its terminal goes', () => {
    const table = tableOf(['a', 'b', 'c']);
    press(table, 'j');
    table.views = table.views.filter(({ name }) => name !== 'b');
    expect(table.selected?.name).toBe('c');
    table.views = table.views.filter(({ name }) => name !== 'c');
    expect(table.selected?.name).toBe('a');
    table.views = [];
    expect([table.selected, press(table, 'enter'), press(table, 'c')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(table.mode.kind).toBe('table');
  });
});

describe('keys', () => {
  test('ask for what the table cannot do', () => {
    const table = tableOf(['a', 'b']);
    expect(press(table, 'j', 'enter')).toMatchObject({ kind: 'attach', view: { name: 'b' } });
    table.views = [viewOf({ name: 'z', status: 'exited', exitCode: 0 })];
    expect(press(table, 'enter')).toBeUndefined();
    expect(table.message).toContain('z has exited');
    expect(press(table, 'q')).toEqual({ kind: 'leave' });
    expect(table.message).toBe('');
    expect(press(table, 'ctrl+c')).toEqual({ kind: 'leave' });
    expect(press(table, 'ctrl+z')).toEqual({ kind: 'suspend' });
  });

  test('close a terminal only after y, and the one that was asked about', () => {
    const table = tableOf(['a', 'b']);
    for (const key of ['n', 'enter', 'escape', 'c']) {
      expect(press(table, 'c', key)).toBeUndefined();
      expect(table.mode.kind).toBe('table');
    }
    press(table, 'c');
    table.views = [viewOf({ name: '0' }), ...table.views];
    expect(press(table, 'y')).toMatchObject({ kind: 'close', view: { name: 'a' } });
  });

  test('go through the orders', () => {
    const table = tableOf(['a']);
    const orders = SORTS.map(() => {
      press(table, 's');
      return table.sort;
    });
    expect(new Set(orders)).toEqual(new Set(SORTS));
    expect(table.sort).toBe('name');
  });

  test('filter while they are typed, also letters that mean something else', () => {
    const table = tableOf(['a', 'jack', 'jill', 'quack']);
    press(table, 'end', '/', 'j');
    expect([shown(table), table.selected?.name]).toEqual([['jack', 'jill'], 'jack']);
    press(table, 'down', 'i', 'x', 'backspace', 'left', 'enter');
    expect([shown(table), table.mode.kind]).toEqual([['jill'], 'table']);
    press(table, '/', 'ctrl+u', 'q', 'escape');
    expect([table.filter, table.rows.length, table.selected?.name]).toEqual(['', 4, 'quack']);
    press(table, '/', 'j', 'enter', 'escape');
    expect(table.filter).toBe('');
    press(table, '/', 'q');
    expect(press(table, 'ctrl+c')).toEqual({ kind: 'leave' });
  });

  test('any key leaves the help', () => {
    const table = tableOf(['a']);
    press(table, '?');
    expect(table.mode.kind).toBe('help');
    expect(press(table, 'q')).toBeUndefined();
    expect(table.mode.kind).toBe('table');
  });
});
