import type { LayoutTree } from '../../../src/client/browser.js';

export type Tab = LayoutTree['tabs'][number];
export type Pane = Tab['root'];
export type Leaf = Extract<Pane, { type: 'leaf' }>;
type Split = Extract<Pane, { type: 'split' }>;
export type Direction = Split['direction'];

/** Type of the dragged data: the id of a terminal of this page. */
export const DRAGGED = 'application/x-auto-terminal';

/** Returns the panes that show terminals, in their order. */
export function leavesOf(pane: Pane): Leaf[] {
  return pane.type === 'leaf' ? [pane] : pane.children.flatMap(leavesOf);
}

/** Returns the pane without the leaf of a terminal; undefined if nothing is left of it. */
function without(pane: Pane, terminalId: string): Pane | undefined {
  if (pane.type === 'leaf') return pane.terminalId === terminalId ? undefined : pane;
  const kept = pane.children.flatMap((child, at) => {
    const left = without(child, terminalId);
    return left ? [{ child: left, size: pane.sizes[at]! }] : [];
  });
  if (kept.length <= 1) return kept[0]?.child;
  const whole = kept.reduce((sum, { size }) => sum + size, 0);
  return {
    ...pane,
    children: kept.map(({ child }) => child),
    sizes: kept.map(({ size }) => size / whole),
  };
}

/** Returns the pane with `added` beside the leaf with this id: after it, and half of its size. */
function besideLeaf(pane: Pane, leafId: string, direction: Direction, added: Leaf, splitId: string): Pane {
  if (pane.type === 'leaf') {
    if (pane.id !== leafId) return pane;
    return { type: 'split', id: splitId, direction, sizes: [0.5, 0.5], children: [pane, added] };
  }
  const at = pane.children.findIndex((child) => child.type === 'leaf' && child.id === leafId);
  if (at < 0 || pane.direction !== direction) {
    return {
      ...pane,
      children: pane.children.map((child) => besideLeaf(child, leafId, direction, added, splitId)),
    };
  }
  // In a split of the same direction it becomes another child, instead of a nested split.
  const half = pane.sizes[at]! / 2;
  return {
    ...pane,
    children: pane.children.toSpliced(at + 1, 0, added),
    sizes: pane.sizes.toSpliced(at, 1, half, half),
  };
}

/** Returns the tab with another root; its active pane stays one of its leaves. */
function rooted(tab: Tab, root: Pane): Tab {
  const leaves = leavesOf(root);
  const isKept = leaves.some(({ id }) => id === tab.activePaneId);
  return { ...tab, root, activePaneId: isKept ? tab.activePaneId : leaves[0]!.id };
}

/** Returns the layout without a terminal, and without its tab if that had nothing else. */
function withoutTerminal(layout: LayoutTree, terminalId: string): LayoutTree {
  const tabs = layout.tabs.flatMap((tab) => {
    const root = without(tab.root, terminalId);
    return root ? [rooted(tab, root)] : [];
  });
  const isKept = tabs.some(({ id }) => id === layout.activeTabId);
  return { ...layout, tabs, activeTabId: isKept ? layout.activeTabId : (tabs[0]?.id ?? null) };
}

/** Names new panes and tabs. */
export type NewId = () => string;

interface Beside {
  /** The terminal that is moved. */
  terminalId: string;
  /** The pane beside which it comes. */
  paneId: string;
  direction: Direction;
}

/** Moves a terminal beside a pane. Changes nothing if that pane is gone, or shows the terminal itself. */
export function movedBeside(
  layout: LayoutTree,
  { terminalId, paneId, direction }: Beside,
  newId: NewId,
): LayoutTree {
  const target = layout.tabs.flatMap(({ root }) => leavesOf(root)).find(({ id }) => id === paneId);
  if (!target || target.terminalId === terminalId) return layout;
  const added: Leaf = { type: 'leaf', id: newId(), terminalId };
  const rest = withoutTerminal(layout, terminalId);
  const tabs = rest.tabs.map((tab) => {
    if (!leavesOf(tab.root).some(({ id }) => id === paneId)) return tab;
    return { ...tab, root: besideLeaf(tab.root, paneId, direction, added, newId()), activePaneId: added.id };
  });
  return { ...rest, tabs };
}

/** Moves a terminal to a tab of its own. Changes nothing if it has one. */
export function movedOut(layout: LayoutTree, terminalId: string, title: string, newId: NewId): LayoutTree {
  const tab = layout.tabs.find(({ root }) => leavesOf(root).some((leaf) => leaf.terminalId === terminalId));
  if (!tab || tab.root.type === 'leaf') return layout;
  const rest = withoutTerminal(layout, terminalId);
  const leaf: Leaf = { type: 'leaf', id: newId(), terminalId };
  return { ...rest, tabs: [...rest.tabs, { id: newId(), title, activePaneId: leaf.id, root: leaf }] };
}

/** Sets the sizes of a split's children, as fractions of the whole. Changes nothing if it has other children by now. */
export function resized(layout: LayoutTree, splitId: string, sizes: readonly number[]): LayoutTree {
  const change = (pane: Pane): Pane => {
    if (pane.type === 'leaf') return pane;
    const children = pane.children.map(change);
    const isMeant = pane.id === splitId && sizes.length === children.length;
    return { ...pane, children, sizes: isMeant ? [...sizes] : pane.sizes };
  };
  return { ...layout, tabs: layout.tabs.map((tab) => ({ ...tab, root: change(tab.root) })) };
}
