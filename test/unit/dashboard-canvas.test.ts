import { describe, expect, it } from 'vitest';
import { edgesOf, groupAt, nodesOf } from '../../dashboard/src/canvas/graph.js';

const area = (id: string, x: number, y: number, width: number, height: number) => ({
  ...{ id, label: id, color: 'blue', x, y, width, height },
});
const node = (terminalId: string, x = 0) => ({
  ...{ terminalId, title: terminalId, x, y: 0, width: 10, height: 10, groupId: null },
});
const connection = (from: string, to: string, label: string | null = null) => ({
  ...{ id: `${from}${to}`, from, to, label, origin: 'user' as const, createdAt: 0 },
});

describe('the group of a node', () => {
  const groups = [area('large', 0, 0, 100, 100), area('small', 10, 10, 20, 20), area('away', 200, 0, 50, 50)];

  it('is the one in which its middle lies, the smallest of several', () => {
    expect(groupAt(groups, { x: 12, y: 12, width: 10, height: 10 })).toBe('small');
    expect(groupAt(groups, { x: 60, y: 60, width: 10, height: 10 })).toBe('large');
    expect(groupAt(groups, { x: 95, y: 50, width: 20, height: 10 })).toBeNull();
  });
});

describe('the graph', () => {
  const graph = {
    groups: [area('g', 0, 0, 100, 100)],
    nodes: [node('a'), node('b', 20)],
    connections: [connection('a', 'b', 'feeds\u202e'), connection('a', 'gone')],
  };

  it('has its groups below its terminals, and no connection to what is not shown', () => {
    expect(nodesOf(graph, []).map(({ id }) => id)).toEqual(['g', 'a', 'b']);
    expect(edgesOf(graph, []).map(({ source, target, label }) => [source, target, label])).toEqual([
      ['a', 'b', 'feeds'],
    ]);
  });

  it('keeps what is selected when it is read anew', () => {
    const before = nodesOf(graph, []).map((each) => ({ ...each, selected: each.id === 'b' }));
    expect(nodesOf(graph, before).filter(({ selected }) => selected)).toMatchObject([{ id: 'b' }]);
  });
});
