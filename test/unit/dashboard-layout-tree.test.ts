import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  leavesOf,
  movedBeside,
  movedOut,
  type Pane,
  resized,
} from '../../dashboard/src/workspace/layout-tree.js';
import { LayoutTree } from '../../src/contract/layout.js';

/** Returns a layout with one tab for each of `count` terminals, as the service makes it. */
function tabsFor(count: number): LayoutTree {
  const tabs = Array.from({ length: count }, (_, at) => ({
    ...{ id: `tab${at}`, title: `t${at}`, activePaneId: `pane${at}` },
    root: { type: 'leaf' as const, id: `pane${at}`, terminalId: `t${at}` },
  }));
  return { version: 1, activeTabId: tabs[0]?.id ?? null, tabs };
}

function counter(): () => string {
  let last = 0;
  return () => `new${++last}`;
}

const terminalsOf = ({ tabs }: LayoutTree) =>
  tabs.flatMap(({ root }) => leavesOf(root).map(({ terminalId }) => terminalId)).sort();

function splitsOf(pane: Pane): Pane[] {
  return pane.type === 'leaf' ? [] : [pane, ...pane.children.flatMap(splitsOf)];
}

describe('moving panes', () => {
  it('any number of times loses no terminal, and leaves a layout that the service takes', () => {
    const move = fc.record({
      terminal: fc.nat(5),
      beside: fc.nat(5),
      direction: fc.constantFrom('horizontal' as const, 'vertical' as const),
      isOut: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const newId = counter();
        let layout = tabsFor(6);
        const before = terminalsOf(layout);
        for (const { terminal, beside, direction, isOut } of moves) {
          const leaves = layout.tabs.flatMap(({ root }) => leavesOf(root));
          const paneId = leaves[beside]!.id;
          const terminalId = `t${terminal}`;
          layout = isOut
            ? movedOut(layout, terminalId, terminalId, newId)
            : movedBeside(layout, { terminalId, paneId, direction }, newId);
          expect(terminalsOf(layout)).toEqual(before);
          expect(LayoutTree.parse(layout)).toEqual(layout);
          const ids = layout.tabs.flatMap(({ id, root }) => [id, ...leavesOf(root).map((leaf) => leaf.id)]);
          expect(new Set(ids).size).toBe(ids.length);
          expect(layout.tabs.map(({ id }) => id)).toContain(layout.activeTabId);
          for (const tab of layout.tabs) {
            expect(leavesOf(tab.root).map(({ id }) => id)).toContain(tab.activePaneId);
            for (const split of splitsOf(tab.root)) {
              if (split.type === 'leaf') continue;
              expect(split.children.length).toBeGreaterThan(1);
              expect(split.sizes).toHaveLength(split.children.length);
              expect(split.sizes.reduce((sum, size) => sum + size, 0)).toBeCloseTo(1);
            }
          }
        }
      }),
    );
  });

  it('puts a terminal after the pane, as one more of the split where that has the direction', () => {
    const newId = counter();
    const once = movedBeside(
      tabsFor(3),
      { terminalId: 't1', paneId: 'pane0', direction: 'horizontal' },
      newId,
    );
    const twice = movedBeside(once, { terminalId: 't2', paneId: 'pane0', direction: 'horizontal' }, newId);
    expect(twice.tabs).toHaveLength(1);
    const { root } = twice.tabs[0]!;
    expect(root).toMatchObject({ type: 'split', sizes: [0.25, 0.25, 0.5] });
    expect(leavesOf(root).map(({ terminalId }) => terminalId)).toEqual(['t0', 't2', 't1']);
  });

  it('does nothing beside a pane that is gone, or that shows the terminal itself', () => {
    const layout = tabsFor(2);
    for (const paneId of ['gone', 'pane1'])
      expect(movedBeside(layout, { terminalId: 't1', paneId, direction: 'vertical' }, counter())).toBe(
        layout,
      );
  });
});

describe('sizes', () => {
  it('are taken only for as many panes as there are by now', () => {
    const newId = counter();
    const layout = movedBeside(
      tabsFor(2),
      { terminalId: 't1', paneId: 'pane0', direction: 'vertical' },
      newId,
    );
    const { id } = layout.tabs[0]!.root;
    expect(resized(layout, id, [0.3, 0.7]).tabs[0]!.root).toMatchObject({ sizes: [0.3, 0.7] });
    expect(resized(layout, id, [0.2, 0.3, 0.5])).toEqual(layout);
  });
});
