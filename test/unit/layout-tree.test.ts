import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newLeaf, newPaneId } from '#dist/actors/layout/pane-ids.js';
import {
  depthOf,
  leavesOf,
  panesOf,
  prune,
  type Split,
  splitLeaf,
  toFractions,
} from '#dist/actors/layout/tree.js';
import { faultOfLayout, normalized } from '#dist/actors/layout/validate.js';
import type { Direction, LayoutTree, LeafPane, Pane, SplitPane } from '#dist/contract/layout.js';
import { LayoutBody } from '#dist/contract/layout.js';
import { MAX_LAYOUT_DEPTH } from '#dist/contract/limits.js';

const leaf = (name: string): LeafPane => ({ type: 'leaf', id: `pn-${name}`, terminalId: name });
const row = (sizes: number[], ...children: Pane[]) => splitOf('horizontal', sizes, children);
const column = (sizes: number[], ...children: Pane[]) => splitOf('vertical', sizes, children);
function splitOf(direction: Direction, sizes: number[], children: Pane[]): SplitPane {
  return { type: 'split', id: `sp-${children.map(({ id }) => id).join()}`, direction, sizes, children };
}
const split = (at: string, name: string, direction: Direction): Split => ({
  at: `pn-${at}`,
  leaf: leaf(name),
  direction,
  splitId: `sp-pn-${at},pn-${name}`,
});
const a = leaf('a');
const b = leaf('b');
const c = leaf('c');
const without =
  (...names: string[]) =>
  (pane: LeafPane) =>
    !names.includes(pane.terminalId);

describe('a split', () => {
  test('of the only pane halves it', () => {
    expect(splitLeaf(a, split('a', 'b', 'horizontal'))).toEqual(row([0.5, 0.5], a, b));
    expect(splitLeaf(a, split('a', 'b', 'vertical'))).toEqual(column([0.5, 0.5], a, b));
  });

  test("in its parent's direction adds a sibling and halves only the split pane", () => {
    const grown = splitLeaf(row([0.7, 0.3], a, b), split('a', 'c', 'horizontal'));
    expect(grown).toMatchObject({ sizes: [0.35, 0.35, 0.3], children: [a, c, b] });
  });

  test('in the other direction nests', () => {
    expect(splitLeaf(row([0.7, 0.3], a, b), split('b', 'c', 'vertical'))).toMatchObject({
      sizes: [0.7, 0.3],
      children: [a, column([0.5, 0.5], b, c)],
    });
  });

  test('of an unknown pane changes nothing', () => {
    const tree = row([0.5, 0.5], a, b);
    expect(splitLeaf(tree, split('z', 'c', 'vertical'))).toEqual(tree);
  });

  test('that would leave a pane too small to see evens its siblings out', () => {
    let tree: Pane = a;
    let last = 'a';
    for (let index = 0; index < 1_500; index += 1) {
      tree = splitLeaf(tree, split(last, `t${index}`, 'horizontal'));
      last = `t${index}`;
    }
    expect(leavesOf(tree)).toHaveLength(1_501);
    expectSound(tree);
    expect(Math.min(...(tree as SplitPane).sizes)).toBeGreaterThan(1 / 3_100);
  });

  test('at the deepest level adds a sibling whatever the direction', () => {
    let tree: Pane = a;
    let last = 'a';
    for (let index = 0; index < MAX_LAYOUT_DEPTH + 10; index += 1) {
      tree = splitLeaf(tree, split(last, `t${index}`, index % 2 ? 'vertical' : 'horizontal'));
      last = `t${index}`;
    }
    expect(depthOf(tree)).toBe(MAX_LAYOUT_DEPTH);
    expect(leavesOf(tree)).toHaveLength(MAX_LAYOUT_DEPTH + 11);
  });
});

describe('pruning', () => {
  test('gives the room of removed panes to the others, in proportion', () => {
    const pruned = prune(row([0.5, 0.3, 0.2], a, b, c), without('a'));
    expect(pruned).toMatchObject({ sizes: [0.6, 0.4], children: [b, c] });
  });

  test('replaces a split by its last child', () => {
    expect(prune(row([0.5, 0.5], a, column([0.5, 0.5], b, c)), without('c'))).toMatchObject({
      direction: 'horizontal',
      children: [a, b],
    });
    expect(prune(row([0.5, 0.5], a, b), without('b'))).toBe(a);
    expect(prune(a, without('a'))).toBeNull();
  });

  test('makes one row of a row within a row', () => {
    const inner = row([0.25, 0.75], b, c);
    const tree = row([0.6, 0.4], a, column([0.5, 0.5], inner, leaf('d')));
    const pruned = prune(tree, without('d')) as SplitPane;
    expect(pruned.children).toEqual([a, b, c]);
    expect(pruned.sizes.map((size) => size.toFixed(9))).toEqual([
      '0.600000000',
      '0.100000000',
      '0.300000000',
    ]);
  });

  test('of no pane returns the very same tree', () => {
    const tree = row([0.5, 0.5], a, column([0.1, 0.9], b, c));
    expect(prune(tree, () => true)).toBe(tree);
  });
});

/** Checks the invariants of every tree that splits and removals can make. */
function expectSound(tree: Pane): void {
  const panes = panesOf(tree);
  expect(new Set(panes.map(({ id }) => id)).size).toBe(panes.length);
  expect(new Set(leavesOf(tree).map(({ terminalId }) => terminalId)).size).toBe(leavesOf(tree).length);
  expect(depthOf(tree)).toBeLessThanOrEqual(MAX_LAYOUT_DEPTH);
  for (const pane of panes) {
    if (pane.type === 'leaf') continue;
    expect(pane.children.length).toBeGreaterThanOrEqual(2);
    expect(pane.sizes).toHaveLength(pane.children.length);
    for (const size of pane.sizes) expect(size).toBeGreaterThan(0);
    expect(pane.sizes.reduce((sum, size) => sum + size, 0)).toBeCloseTo(1, 9);
    // A split in its parent's direction becomes siblings instead; at the deepest level every split does.
    for (const child of pane.children) {
      if (child.type === 'split') expect(child.direction).not.toBe(pane.direction);
    }
  }
}

/** Picks the item with this number, modulo the length. */
const pick = <T>(items: T[], number: number) => items[number % items.length] as T;

const step = fc.record({
  remove: fc.boolean(),
  at: fc.nat(),
  direction: fc.constantFrom<Direction>('horizontal', 'vertical'),
});

test('random splits and removals: sound at every step, and exactly the expected leaves', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      let tree: Pane = newLeaf('first');
      const expected = new Set(['first']);
      steps.forEach(({ remove, at, direction }, index) => {
        const target = pick(leavesOf(tree), at);
        if (remove && expected.size > 1) {
          tree = prune(tree, ({ id }) => id !== target.id) as Pane;
          expected.delete(target.terminalId);
        } else {
          const added = newLeaf(`t${index}`);
          tree = splitLeaf(tree, { at: target.id, leaf: added, direction, splitId: newPaneId() });
          expected.add(added.terminalId);
        }
        expectSound(tree);
        expect(new Set(leavesOf(tree).map(({ terminalId }) => terminalId))).toEqual(expected);
        const tab = { id: 'tb-1', title: '', activePaneId: leavesOf(tree)[0]!.id, root: tree };
        expect(faultOfLayout({ version: 1, activeTabId: 'tb-1', tabs: [tab] })).toBeUndefined();
      });
    }),
    { numRuns: 200 },
  );
});

describe('sizes', () => {
  test('that sum to 1 stay as they are; others are scaled to 1', () => {
    const thirds = [0.333333, 0.333333, 0.333334];
    expect(toFractions(thirds)).toBe(thirds);
    expect(toFractions([1, 3])).toEqual([0.25, 0.75]);
    expect(toFractions([1_000_000, 1e-300]).every((size) => size > 1e-10)).toBe(true);
  });
});

describe('a posted layout', () => {
  const tab = (id: string, root: Pane, activePaneId = leavesOf(root)[0]!.id) => ({
    id,
    title: id,
    activePaneId,
    root,
  });
  const layout = (...tabs: LayoutTree['tabs']): LayoutTree => ({
    version: 1,
    activeTabId: tabs[0]?.id ?? null,
    tabs,
  });
  const deep = (levels: number): Pane => {
    let pane: Pane = leaf('bottom');
    for (let level = 0; level < levels; level += 1) {
      const direction = level % 2 ? 'horizontal' : 'vertical';
      const sibling: Pane = { ...leaf(`s${level}`) };
      pane = { type: 'split', id: `sp-${level}`, direction, sizes: [0.5, 0.5], children: [pane, sibling] };
    }
    return pane;
  };

  test('that is sound has no fault', () => {
    const sound = [
      layout(),
      layout(tab('1', a), tab('2', row([0.5, 0.5], b, c))),
      layout(tab('1', deep(50))),
    ];
    for (const each of sound) {
      expect(faultOfLayout(each)).toBeUndefined();
      expect(LayoutBody.parse(each)).toEqual(each);
    }
  });

  test.each<[string, LayoutTree]>([
    ['activeTabId: there is no tab', { ...layout(tab('1', a)), activeTabId: '2' }],
    ['activeTabId: is null', { ...layout(tab('1', a)), activeTabId: null }],
    ['activeTabId: there is no tab', { ...layout(), activeTabId: '1' }],
    ['tab 1: is in the layout more than once', layout(tab('1', a), tab('1', b))],
    ['pane pn-a: is in the layout more than once', layout(tab('1', a), tab('2', { ...b, id: 'pn-a' }))],
    ['terminal a: is in the layout more than once', layout(tab('1', a), tab('2', { ...a, id: 'pn-other' }))],
    ['has 2 children and 1 sizes', layout(tab('1', row([1], a, b)))],
    ['activePaneId: is not a leaf', layout(tab('1', a, 'pn-b'), tab('2', b))],
    ['activePaneId: is not a leaf', layout(tab('1', row([1, 1], a, b), row([1, 1], a, b).id))],
    ['deeper than 50', layout(tab('1', deep(51)))],
  ])('is reported: %s', (fault, each) => {
    expect(faultOfLayout(each)).toContain(fault);
  });

  test('with too many panes is reported', () => {
    const many = Array.from({ length: 10_001 }, (_, index) => tab(`tb-${index}`, leaf(`t${index}`)));
    expect(faultOfLayout(layout(...many))).toBe('there are more than 10000 panes');
  });

  test('nested a million times is refused, not walked', () => {
    const nested: unknown = JSON.parse(`${'{"root":['.repeat(500_000)}${']}'.repeat(500_000)}`);
    const refused = LayoutBody.safeParse({ version: 1, activeTabId: null, tabs: [nested] });
    expect(refused.error?.issues).toMatchObject([{ message: 'panes are nested deeper than 50 splits' }]);
  });

  test('has splits of one child replaced by it, and sizes brought to the sum of 1', () => {
    const odd = row([4], column([3, 1], a, row([9], b)));
    expect(normalized(odd)).toMatchObject({ direction: 'vertical', sizes: [0.75, 0.25], children: [a, b] });
  });
});
