import type { LayoutTree, LeafPane, Tab } from '../../contract/layout.js';
import { findLeaf, leavesOf, prune, type Split, splitLeaf } from './tree.js';

/** A layout without its version: the tabs in order, and the id of the tab in front. */
export type Arrangement = Omit<LayoutTree, 'version'>;

export const EMPTY: Arrangement = { activeTabId: null, tabs: [] };

/** Appends a tab that holds one terminal, and brings it to the front. */
export function addTab({ tabs }: Arrangement, id: string, title: string, leaf: LeafPane): Arrangement {
  return { activeTabId: id, tabs: [...tabs, { id, title, activePaneId: leaf.id, root: leaf }] };
}

/** Splits the pane `at` of a tab, or its active pane if `at` is not there; the new pane becomes the active one. */
export function placeInTab(
  { tabs }: Arrangement,
  tab: Tab,
  split: Omit<Split, 'at'> & { at: string | undefined },
): Arrangement {
  const at = findLeaf(tab.root, ({ id }) => id === split.at)?.id ?? tab.activePaneId;
  const grown = { ...tab, activePaneId: split.leaf.id, root: splitLeaf(tab.root, { ...split, at }) };
  return { activeTabId: tab.id, tabs: tabs.map((each) => (each === tab ? grown : each)) };
}

/** Removes the panes of all terminals that `keep` rejects, and the tabs that are left empty. */
export function retain(arrangement: Arrangement, keep: (terminalId: string) => boolean): Arrangement {
  const kept = arrangement.tabs.map((tab) => retainInTab(tab, keep));
  const ids = arrangement.tabs.map(({ id }) => id);
  const left = new Set(kept.flatMap((tab) => (tab ? [tab.id] : [])));
  return {
    activeTabId: nearest(ids, arrangement.activeTabId, (id) => left.has(id)) ?? null,
    tabs: kept.filter((tab) => tab !== null),
  };
}

/** Removes the panes of one terminal from the tab that holds them, and the tab itself if it is left empty. */
export function removeFromTab(arrangement: Arrangement, tab: Tab, terminalId: string): Arrangement {
  const index = arrangement.tabs.indexOf(tab);
  const left = retainInTab(tab, (id) => id !== terminalId);
  if (left) return { ...arrangement, tabs: arrangement.tabs.with(index, left) };
  const tabs = arrangement.tabs.toSpliced(index, 1);
  const next = tabs[index] ?? tabs.at(-1);
  const { activeTabId } = arrangement;
  return { activeTabId: activeTabId === tab.id ? (next?.id ?? null) : activeTabId, tabs };
}

function retainInTab(tab: Tab, keep: (terminalId: string) => boolean): Tab | null {
  const root = prune(tab.root, ({ terminalId }) => keep(terminalId));
  if (root === null || root === tab.root) return root && tab;
  const before = leavesOf(tab.root).map(({ id }) => id);
  const left = new Set(leavesOf(root).map(({ id }) => id));
  const activePaneId = nearest(before, tab.activePaneId, (id) => left.has(id)) ?? tab.activePaneId;
  return { ...tab, root, activePaneId };
}

/** Returns `id` if it is left, else the next remaining id after it, else the last remaining id before it. */
function nearest(ids: string[], id: string | null, isLeft: (id: string) => boolean): string | undefined {
  const index = Math.max(0, id === null ? 0 : ids.indexOf(id));
  return ids.slice(index).find(isLeft) ?? ids.slice(0, index).findLast(isLeft);
}
