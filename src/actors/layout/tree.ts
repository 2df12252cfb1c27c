import type { Direction, LeafPane, Pane, SplitPane } from '../../contract/layout.js';
import { MAX_LAYOUT_DEPTH, MIN_PANE_FRACTION } from '../../contract/limits.js';

/** Sizes whose sum is this close to 1 stay as they are, so that a client's layout comes back as it was posted. */
const SUM_TOLERANCE = 1e-6;

/** Smallest fraction: too small to see, but large enough to be multiplied with others. */
const SMALLEST = 1e-9;

/** Returns the leaves in reading order. */
export function leavesOf(pane: Pane): LeafPane[] {
  return pane.type === 'leaf' ? [pane] : pane.children.flatMap(leavesOf);
}

/** Returns all panes, splits before their children. */
export function panesOf(pane: Pane): Pane[] {
  return pane.type === 'leaf' ? [pane] : [pane, ...pane.children.flatMap(panesOf)];
}

export function findLeaf(root: Pane, test: (leaf: LeafPane) => boolean): LeafPane | undefined {
  return leavesOf(root).find(test);
}

/** Returns the number of splits on the longest way down; 0 for a leaf. */
export function depthOf(pane: Pane): number {
  return pane.type === 'leaf' ? 0 : 1 + Math.max(...pane.children.map(depthOf));
}

/** Returns sizes as fractions that sum to 1, none so small that arithmetic would round it to 0. */
export function toFractions(sizes: number[]): number[] {
  const sum = sumOf(sizes);
  if (Math.abs(sum - 1) <= SUM_TOLERANCE && sizes.every((size) => size >= SMALLEST)) return sizes;
  const seen = sizes.map((size) => Math.max(size / sum, SMALLEST));
  const all = sumOf(seen);
  return seen.map((size) => size / all);
}

function sumOf(sizes: number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}

export interface Split {
  /** Id of the leaf that shares its room. */
  at: string;
  leaf: LeafPane;
  direction: Direction;
  /** Id of the new split, if one is made. */
  splitId: string;
}

/**
 * Puts a leaf to the right of another, or below it, in half of its room. If the other leaf is in a split of this
 * direction already, or as deep as panes may be, the new leaf becomes its sibling. Returns the tree unchanged when
 * there is no leaf `at`.
 */
export function splitLeaf(root: Pane, split: Split): Pane {
  if (root.type === 'leaf') return root.id === split.at ? asSplit(root, split) : root;
  return splitWithin(root, split, 1);
}

function asSplit(pane: LeafPane, { leaf, direction, splitId }: Split): SplitPane {
  return { type: 'split', id: splitId, direction, sizes: [0.5, 0.5], children: [pane, leaf] };
}

/** `depth` counts the splits down to this one, itself included. */
function splitWithin(pane: SplitPane, split: Split, depth: number): SplitPane {
  const index = pane.children.findIndex((child) => child.id === split.at && child.type === 'leaf');
  const at = pane.children[index];
  if (at?.type !== 'leaf') {
    const children = pane.children.map((child) =>
      child.type === 'leaf' ? child : splitWithin(child, split, depth + 1),
    );
    return { ...pane, children };
  }
  if (split.direction !== pane.direction && depth < MAX_LAYOUT_DEPTH) {
    return { ...pane, children: pane.children.with(index, asSplit(at, split)) };
  }
  const children = pane.children.toSpliced(index + 1, 0, split.leaf);
  return { ...pane, sizes: halved(pane.sizes, index), children };
}

/** Halves one size into two. If the halves would be too small to see, or to be halved again, all sizes become equal. */
function halved(sizes: number[], index: number): number[] {
  const half = (sizes[index] ?? 0) / 2;
  if (half < MIN_PANE_FRACTION) return new Array(sizes.length + 1).fill(1 / (sizes.length + 1));
  return toFractions(sizes.toSpliced(index, 1, half, half));
}

/**
 * Returns the tree with only the leaves that `keep` accepts, or null when none is left. The remaining children share
 * the room of the removed ones; a split with only one child left is replaced by that child.
 */
export function prune(pane: Pane, keep: (leaf: LeafPane) => boolean): Pane | null {
  if (pane.type === 'leaf') return keep(pane) ? pane : null;
  const children: Pane[] = [];
  const sizes: number[] = [];
  pane.children.forEach((before, index) => {
    const child = prune(before, keep);
    const size = pane.sizes[index] ?? 0;
    if (child === null) return;
    if (child !== before && child.type === 'split' && child.direction === pane.direction) {
      // A split of the other direction with one child left is replaced by this child, which splits in this direction:
      // its panes become panes of this split.
      children.push(...child.children);
      sizes.push(...child.sizes.map((fraction) => fraction * size));
    } else {
      children.push(child);
      sizes.push(size);
    }
  });
  const [first] = children;
  if (first === undefined) return null;
  if (children.length === 1) return first;
  const unchanged =
    children.length === pane.children.length && children.every((c, i) => c === pane.children[i]);
  return unchanged ? pane : { ...pane, children, sizes: toFractions(sizes) };
}
