import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Canvas } from '#dist/actors/canvas/canvas.js';
import { MAX_CONNECTIONS } from '#dist/contract/limits.js';
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
