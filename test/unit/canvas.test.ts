import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Canvas } from '#dist/actors/canvas/canvas.js';
import { MAX_CANVAS_GROUPS, MAX_CONNECTIONS } from '#dist/contract/limits.js';
import { created, exited, type TestStore, terminal, testStore } from '../support/events.js';

let disk: TestStore;
let canvas: Canvas;

beforeEach(async () => {
  disk = await testStore();
  canvas = new Canvas(disk);
});
afterEach(async () => {
  expect(disk.errors).toEqual([]);
  await disk.end();
});

const add = (...ids: string[]) => {
  for (const id of ids) canvas.onEvent(created(terminal(id)));
};
const connect = (from: string, to: string) => canvas.connect({ from, to, label: null, origin: 'user' });
const edges = () => canvas.graph().connections.map(({ from, to }) => `${from}-${to}`);
const places = () =>
  Object.fromEntries(canvas.graph().nodes.map(({ terminalId, x, y }) => [terminalId, [x, y]]));
const restart = async () => {
  disk = await disk.reopen();
  canvas = new Canvas(disk);
};

describe('nodes', () => {
  test('are placed in a grid, four to a row, without overlap', () => {
    add('a', 'b', 'c', 'd', 'e');
    expect(canvas.graph().nodes[0]).toEqual({
      terminalId: 'a',
      title: 'name of a',
      x: 0,
      y: 0,
      width: 480,
      height: 320,
      groupId: null,
    });
    expect(places()).toEqual({ a: [0, 0], b: [520, 0], c: [1040, 0], d: [1560, 0], e: [0, 360] });
  });

  test('keep their place while others come and go; a freed place is taken next', () => {
    add('a', 'b', 'c');
    canvas.onEvent(exited('b'));
    expect(places()).toEqual({ a: [0, 0], c: [1040, 0] });
    add('d', 'e');
    expect(places()).toEqual({ a: [0, 0], c: [1040, 0], d: [520, 0], e: [1560, 0] });
  });

  test('take the lowest free places, in whatever order these were freed', () => {
    const ids = Array.from({ length: 40 }, (_, index) => `t${index}`);
    add(...ids);
    const before = places();
    for (const id of ['t30', 't3', 't17']) canvas.onEvent(exited(id));
    add('x', 'y', 'z', 'last');
    expect(places()).toMatchObject({ x: before.t3, y: before.t17, z: before.t30, last: [0, 10 * 360] });
  });

  test('have the same places after a restart; terminals that ended meanwhile have none', async () => {
    add('a', 'b', 'c', 'd');
    await restart();
    canvas.reconcile([terminal('new'), terminal('d'), terminal('c'), terminal('a', { status: 'exited' })]);
    expect(places()).toEqual({ new: [0, 0], c: [1040, 0], d: [1560, 0] });
    await restart();
    canvas.reconcile([terminal('new'), terminal('d')]);
    expect(places()).toEqual({ new: [0, 0], d: [1560, 0] });
  });
});

describe('nodes that somebody places', () => {
  test('stay there, over a restart too, and nobody else gets a cell that they lie over', async () => {
    add('a', 'b');
    await canvas.place('a', { x: 500, y: -10 });
    expect(places()).toEqual({ a: [500, -10], b: [520, 0] });
    await restart();
    canvas.reconcile([terminal('a'), terminal('b')]);
    expect(places()).toEqual({ a: [500, -10], b: [520, 0] });
    // The first cell is free, because a begins in the gap behind it; a ends before the third cell.
    add('c', 'd');
    expect(places()).toMatchObject({ c: [0, 0], d: [1040, 0] });
    await canvas.place('a', { x: 1_200, width: 600, y: 100, height: 500 });
    add('e', 'f', 'g', 'h', 'i');
    expect(places()).toMatchObject({
      e: [0, 360],
      f: [520, 360],
      g: [0, 720],
      h: [520, 720],
      i: [1040, 720],
    });
    // b still covers its cell, which a has left.
    expect(places()).toMatchObject({ b: [520, 0] });
  });

  test('keep each field that is not named, and report only what changes', async () => {
    let changes = 0;
    add('a');
    canvas.onChanged(() => changes++);
    const before = canvas.graph().nodes[0]!;
    expect(await canvas.place('a', { width: 100 })).toEqual({ ...before, width: 100 });
    expect(await canvas.place('a', { width: 100 })).toEqual({ ...before, width: 100 });
    expect(await canvas.place('a', {})).toEqual({ ...before, width: 100 });
    expect(changes).toBe(1);
    for (const event of [exited('a'), { type: 'removed', id: 'a', reason: 'closed' } as const])
      canvas.onEvent(event);
    expect(changes).toBe(2);
    await expect(canvas.place('a', { x: 1 })).rejects.toMatchObject({ code: 'terminal-not-found' });
  });

  test('have the name of their terminal, also a new one', () => {
    let changes = 0;
    add('a');
    canvas.onChanged(() => changes++);
    for (const name of ['new', 'new'])
      canvas.onEvent({ type: 'updated', id: 'a', terminal: terminal('a', { name }) });
    expect([canvas.graph().nodes[0]?.title, changes]).toEqual(['new', 1]);
  });
});

describe('groups', () => {
  const box = { label: 'one', color: '#fff', x: 0, y: 0, width: 10, height: 10 };

  test('are kept over a restart with their nodes; nodes of a deleted one are in none', async () => {
    add('a', 'b');
    const [one, other] = [await canvas.addGroup(box), await canvas.addGroup({ ...box, label: 'other' })];
    await canvas.place('a', { groupId: one.id });
    await canvas.place('b', { groupId: other.id });
    await canvas.changeGroup(other.id, { label: 'new' });
    await restart();
    canvas.reconcile([terminal('a'), terminal('b')]);
    const groupsOf = () => canvas.graph().nodes.map(({ groupId }) => groupId);
    expect(new Set(canvas.graph().groups)).toEqual(new Set([one, { ...other, label: 'new' }]));
    expect(groupsOf()).toEqual([one.id, other.id]);
    await canvas.removeGroup(one.id);
    expect([groupsOf(), canvas.graph().groups]).toEqual([[null, other.id], [{ ...other, label: 'new' }]]);
    await restart();
    canvas.reconcile([terminal('a'), terminal('b')]);
    expect(groupsOf()).toEqual([null, other.id]);
  });

  test('that are unknown are refused, and change nothing', async () => {
    add('a');
    const before = canvas.graph();
    const refused = { code: 'group-not-found', status: 404 };
    await expect(canvas.place('a', { x: 1, groupId: 'gr-0' })).rejects.toMatchObject(refused);
    await expect(canvas.changeGroup('gr-0', { x: 1 })).rejects.toMatchObject(refused);
    await expect(canvas.removeGroup('gr-0')).rejects.toMatchObject(refused);
    expect(canvas.graph()).toEqual(before);
  });

  test('are bounded in number', async () => {
    const added = await Promise.all(Array.from({ length: MAX_CANVAS_GROUPS }, () => canvas.addGroup(box)));
    await expect(canvas.addGroup(box)).rejects.toMatchObject({ code: 'too-many-groups', status: 409 });
    await canvas.removeGroup(added[7]!.id);
    await canvas.addGroup(box);
    expect(canvas.graph().groups).toHaveLength(MAX_CANVAS_GROUPS);
  });
});

describe('connections', () => {
  test('are removed when a terminal is closed, and stay when its program ends or it expires', async () => {
    add('a', 'b', 'c', 'd');
    for (const [from, to] of ['ab', 'bc', 'cd', 'da', 'bd']) await connect(from!, to!);
    canvas.onEvent(exited('a'));
    expect(edges()).toHaveLength(5);
    canvas.onEvent({ type: 'removed', id: 'a', reason: 'expired' });
    canvas.onEvent({ type: 'removed', id: 'd', reason: 'lost' });
    expect(edges()).toHaveLength(5);
    canvas.onEvent({ type: 'removed', id: 'b', reason: 'closed' });
    expect(edges().sort()).toEqual(['c-d', 'd-a']);
    await restart();
    expect(edges().sort()).toEqual(['c-d', 'd-a']);
  });

  test('need both ends: running, or kept', async () => {
    add('a', 'b');
    canvas.onEvent(exited('b'));
    expect((await connect('a', 'b')).isNew).toBe(true);
    expect(canvas.connectionsOf('b').incoming).toHaveLength(1);
    canvas.onEvent({ type: 'removed', id: 'b', reason: 'expired' });
    await expect(connect('a', 'b')).rejects.toMatchObject({ code: 'terminal-not-found' });
    await expect(connect('b', 'a')).rejects.toMatchObject({ code: 'terminal-not-found' });
    expect(() => canvas.connectionsOf('b')).toThrow('Terminal not found');
  });

  test('made at the same moment are one', async () => {
    add('a', 'b');
    const made = await Promise.all([connect('a', 'b'), connect('a', 'b'), connect('b', 'a')]);
    expect(made.map(({ isNew }) => isNew)).toEqual([true, false, true]);
    expect(edges()).toHaveLength(2);
  });

  test('from a parent are of an agent, and are not made to a terminal that was removed meanwhile', () => {
    add('parent');
    expect(() => canvas.check({ parentTerminalId: 'parent' })).not.toThrow();
    expect(() => canvas.check({})).not.toThrow();
    expect(() => canvas.check({ parentTerminalId: 'nobody' })).toThrow('Terminal not found');
    canvas.onEvent(created(terminal('child'), { parentTerminalId: 'parent' }));
    canvas.onEvent(created(terminal('orphan'), { parentTerminalId: 'nobody' }));
    expect(canvas.graph().connections).toEqual([
      {
        id: expect.stringMatching(/^cn-[0-9a-f]{12}$/),
        from: 'parent',
        to: 'child',
        label: null,
        origin: 'agent',
        createdAt: expect.any(Number),
      },
    ]);
  });

  test('are bounded: only the oldest of removed terminals make room, never those of others', async () => {
    // 101 terminals have 10,100 ordered pairs.
    const ids = Array.from({ length: 101 }, (_, index) => `t${index}`);
    add(...ids);
    const pairs = ids.flatMap((from) => ids.filter((to) => to !== from).map((to) => [from, to] as const));
    await Promise.all(pairs.slice(0, MAX_CONNECTIONS).map(([from, to]) => connect(from, to)));
    const [from, to] = pairs[MAX_CONNECTIONS]!;
    await expect(connect(from, to)).rejects.toMatchObject({ code: 'too-many-connections', status: 409 });
    canvas.onEvent({ type: 'removed', id: 't7', reason: 'expired' });
    expect((await connect(from, to)).isNew).toBe(true);
    expect(edges()).toHaveLength(MAX_CONNECTIONS);
    expect(edges().filter((edge) => /\bt7\b/.test(edge))).toHaveLength(200 - 1 - 1);
    expect(edges()).toContain(`${from}-${to}`);
  });
});
