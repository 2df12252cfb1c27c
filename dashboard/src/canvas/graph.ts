import type { Edge, Node } from '@xyflow/react';
import type { CanvasGraph } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';

export type TerminalNode = Node<{ title: string }, 'terminal'>;
export type GroupNode = Node<{ label: string; color: string }, 'group-area'>;
export type CanvasNode = TerminalNode | GroupNode;
export type ConnectionEdge = Edge<{ origin: 'user' | 'agent' }>;

/** Least size of a node and of a group, in canvas units. */
export const MIN_NODE = { width: 160, height: 100 };

/** Colours of groups, by their name. */
export const GROUP_COLORS = ['blue', 'green', 'amber', 'red', 'purple', 'grey'] as const;

/** Returns the nodes of the graph, groups first, so that they lie below. Selected nodes stay selected. */
export function nodesOf(graph: CanvasGraph, before: readonly CanvasNode[]): CanvasNode[] {
  const selected = new Set(before.filter((node) => node.selected).map(({ id }) => id));
  const groups = graph.groups.map(({ id, label, color, x, y, width, height }): GroupNode => {
    const data = { label: plainLabel(label), color };
    return {
      id,
      type: 'group-area',
      position: { x, y },
      width,
      height,
      data,
      selected: selected.has(id),
      zIndex: -1,
    };
  });
  const terminals = graph.nodes.map(({ terminalId: id, title, x, y, width, height }): TerminalNode => {
    const data = { title: plainLabel(title) };
    return { id, type: 'terminal', position: { x, y }, width, height, data, selected: selected.has(id) };
  });
  return [...groups, ...terminals];
}

/** Returns the connections between nodes that are shown. */
export function edgesOf(graph: CanvasGraph, before: readonly ConnectionEdge[]): ConnectionEdge[] {
  const selected = new Set(before.filter((edge) => edge.selected).map(({ id }) => id));
  const shown = new Set(graph.nodes.map(({ terminalId }) => terminalId));
  return graph.connections
    .filter(({ from, to }) => shown.has(from) && shown.has(to))
    .map(({ id, from, to, label, origin }) => ({
      ...{ id, source: from, target: to, data: { origin }, selected: selected.has(id) },
      ...(label !== null && { label: plainLabel(label) }),
      className: `edge-${origin}`,
    }));
}

/** Returns the group in whose area the middle of the node lies; the smallest, if there are several. */
export function groupAt(
  groups: CanvasGraph['groups'],
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): string | null {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const around = groups.filter(
    (group) =>
      middleX >= group.x &&
      middleX <= group.x + group.width &&
      middleY >= group.y &&
      middleY <= group.y + group.height,
  );
  return around.sort((a, b) => a.width * a.height - b.width * b.height)[0]?.id ?? null;
}
