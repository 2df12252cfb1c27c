import type { LayoutTree, Pane, Tab } from '../../contract/layout.js';
import { MAX_LAYOUT_DEPTH, MAX_LAYOUT_PANES } from '../../contract/limits.js';
import { depthOf, leavesOf, panesOf, toFractions } from './tree.js';

/** Returns the fault of a layout of the right shape, as one line for its sender; undefined if there is none. */
export function faultOfLayout({ activeTabId, tabs }: LayoutTree): string | undefined {
  const tooDeep = tabs.find(({ root }) => depthOf(root) > MAX_LAYOUT_DEPTH);
  if (tooDeep) return `tab ${tooDeep.id}: panes are nested deeper than ${MAX_LAYOUT_DEPTH} splits`;
  const panes = tabs.flatMap(({ root }) => panesOf(root));
  if (panes.length > MAX_LAYOUT_PANES) return `there are more than ${MAX_LAYOUT_PANES} panes`;
  return (
    faultOfActive(activeTabId, tabs) ??
    repeated(
      'tab',
      tabs.map(({ id }) => id),
    ) ??
    repeated(
      'pane',
      panes.map(({ id }) => id),
    ) ??
    repeated(
      'terminal',
      panes.flatMap((pane) => (pane.type === 'leaf' ? [pane.terminalId] : [])),
    ) ??
    panes.map(faultOfSizes).find((fault) => fault !== undefined) ??
    tabs.map(faultOfTab).find((fault) => fault !== undefined)
  );
}

function faultOfActive(activeTabId: string | null, tabs: Tab[]): string | undefined {
  if (activeTabId === null) return tabs.length === 0 ? undefined : 'activeTabId: is null, but there are tabs';
  return tabs.some(({ id }) => id === activeTabId)
    ? undefined
    : `activeTabId: there is no tab ${activeTabId}`;
}

function repeated(what: string, ids: string[]): string | undefined {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) return `${what} ${id}: is in the layout more than once`;
    seen.add(id);
  }
  return undefined;
}

function faultOfSizes(pane: Pane): string | undefined {
  if (pane.type === 'leaf' || pane.sizes.length === pane.children.length) return undefined;
  return `pane ${pane.id}: has ${pane.children.length} children and ${pane.sizes.length} sizes`;
}

function faultOfTab({ id, activePaneId, root }: Tab): string | undefined {
  if (leavesOf(root).some((leaf) => leaf.id === activePaneId)) return undefined;
  return `tab ${id}: activePaneId: is not a leaf of this tab`;
}

/** Returns a valid pane as the layout holds it: sizes sum to 1, and a split has at least two children. */
export function normalized(pane: Pane): Pane {
  if (pane.type === 'leaf') return pane;
  const children = pane.children.map(normalized);
  const [only, ...others] = children;
  if (only !== undefined && others.length === 0) return only;
  return { ...pane, children, sizes: toFractions(pane.sizes) };
}
