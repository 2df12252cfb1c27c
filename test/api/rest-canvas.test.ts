import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CanvasGraph, Connection, TerminalConnections } from '#dist/contract/canvas.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;
/** Three terminals, created anew for each test. */
let a: string;
let b: string;
let c: string;

beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service?.stop());
beforeEach(async () => {
  const { body } = await api.get<{ terminals: Terminal[] }>('/api/terminals?status=all');
  await Promise.all(body.terminals.map(({ id }) => api.delete(`/api/terminals/${id}`)));
  a = (await create({ name: 'first' })).id;
  b = (await create()).id;
  c = (await create()).id;
});

const create = async (body: object = {}) =>
  (await api.post<Terminal>('/api/terminals', { command: ['cat'], ...body })).body;
const graph = async () => (await api.get<CanvasGraph>('/api/canvas/graph')).body;
const connect = (from: string, to: string, rest: object = {}) =>
  api.post<Connection>('/api/canvas/edges', { from, to, ...rest });
const connectionsOf = async (id: string) =>
  (await api.get<TerminalConnections>(`/api/terminals/${id}/connections`)).body;
const UNKNOWN = 'term_000000000000';
const statusOf = async (id: string) => (await api.get<Terminal>(`/api/terminals/${id}`)).body.status;

describe('GET /api/canvas/graph', () => {
  test('all nodes, groups and connections', async () => {
    const { body: connection } = await connect(a, b, { label: 'feeds' });
    const { nodes, groups, connections } = await graph();
    expect(nodes).toHaveLength(3);
    expect(nodes.find(({ terminalId }) => terminalId === a)).toEqual({
      terminalId: a,
      title: 'first',
      x: expect.any(Number),
      y: expect.any(Number),
      width: expect.any(Number),
      height: expect.any(Number),
      groupId: null,
    });
    expect(groups).toEqual([]);
    expect(connections).toEqual([connection]);
  });

  test('a node for every listed terminal, each in a permanent place of its own', async () => {
    const before = (await graph()).nodes;
    expect(new Set(before.map(({ x, y }) => `${x},${y}`)).size).toBe(3);
    const { id } = await create();
    await api.delete(`/api/terminals/${b}`);
    const after = (await graph()).nodes;
    expect(after.map(({ terminalId }) => terminalId).sort()).toEqual([a, c, id].sort());
    for (const node of before.filter(({ terminalId }) => terminalId !== b)) {
      expect(after).toContainEqual(node);
    }
  });
});

describe('POST /api/canvas/edges', () => {
  test('201 with the connection; label null and origin user by default', async () => {
    const before = Date.now();
    const { status, body } = await connect(a, b);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^cn-[0-9a-f]{12}$/),
      from: a,
      to: b,
      label: null,
      origin: 'user',
      createdAt: expect.any(Number),
    });
    expect(body.createdAt).toBeGreaterThanOrEqual(before);
  });

  test('with label and origin', async () => {
    const { body } = await connect(a, b, { label: 'größer', origin: 'agent' });
    expect(body).toMatchObject({ label: 'größer', origin: 'agent' });
  });

  test('the same direction twice does nothing: 200 with the existing connection', async () => {
    const { body: standing } = await connect(a, b, { label: 'one' });
    const again = await connect(a, b, { label: 'two', origin: 'agent' });
    expect([again.status, again.body]).toEqual([200, standing]);
    expect((await graph()).connections).toEqual([standing]);
  });

  test('the other direction is another connection', async () => {
    const { body: there } = await connect(a, b);
    const { status, body: back } = await connect(b, a);
    expect(status).toBe(201);
    expect((await graph()).connections).toHaveLength(2);
    expect(back.id).not.toBe(there.id);
  });

  test('404 Terminal not found for an unknown from or to', async () => {
    for (const [from, to] of [
      [UNKNOWN, a],
      [a, UNKNOWN],
    ] as const) {
      const { status, body } = await connect(from, to);
      expect([status, body]).toEqual([404, failed('Terminal not found')]);
    }
    expect((await graph()).connections).toEqual([]);
  });

  test('400 {error} if from equals to, and for an invalid connection', async () => {
    const invalid: unknown[] = [
      { from: a, to: a },
      { from: UNKNOWN, to: UNKNOWN },
      { from: a },
      { to: a },
      { from: a, to: 7 },
      { from: a, to: b, origin: 'machine' },
      { from: a, to: b, label: 7 },
      { from: a, to: b, label: 'x'.repeat(1_001) },
      undefined,
    ];
    for (const body of invalid) {
      const { status, body: answer } = await api.post<Failure>('/api/canvas/edges', body);
      expect([status, answer]).toEqual([400, failed()]);
    }
    expect((await graph()).connections).toEqual([]);
  });
});

describe('PATCH /api/canvas/edges/:id', () => {
  test('sets or clears the label', async () => {
    const { body: connection } = await connect(a, b);
    const set = await api.patch(`/api/canvas/edges/${connection.id}`, { label: 'new' });
    expect([set.status, set.body]).toEqual([200, { ...connection, label: 'new' }]);
    expect((await graph()).connections).toEqual([{ ...connection, label: 'new' }]);
    const cleared = await api.patch(`/api/canvas/edges/${connection.id}`, { label: null });
    expect(cleared.body).toEqual(connection);
  });

  test('404 Connection not found for an unknown id; 400 without a label', async () => {
    const { status, body } = await api.patch<Failure>('/api/canvas/edges/cn-0', { label: 'x' });
    expect([status, body]).toEqual([404, failed('Connection not found')]);
    const { body: connection } = await connect(a, b);
    for (const patch of [{}, { label: 1 }, undefined])
      expect((await api.patch(`/api/canvas/edges/${connection.id}`, patch)).status).toBe(400);
  });
});

describe('DELETE /api/canvas/edges/:id', () => {
  test('204 without a body; then it is unknown', async () => {
    const { body: connection } = await connect(a, b);
    const { status, body } = await api.delete(`/api/canvas/edges/${connection.id}`);
    expect([status, body]).toEqual([204, undefined]);
    expect((await graph()).connections).toEqual([]);
    const again = await api.delete<Failure>(`/api/canvas/edges/${connection.id}`);
    expect([again.status, again.body]).toEqual([404, failed('Connection not found')]);
    expect((await connect(a, b)).status).toBe(201);
  });
});

describe('GET /api/terminals/:id/connections', () => {
  test('incoming and outgoing', async () => {
    const { body: out } = await connect(a, b);
    const { body: into } = await connect(c, a);
    await connect(b, c);
    expect(await connectionsOf(a)).toEqual({ incoming: [into], outgoing: [out] });
  });

  test('404 Terminal not found for an unknown id', async () => {
    const { status, body } = await api.get<Failure>(`/api/terminals/${UNKNOWN}/connections`);
    expect([status, body]).toEqual([404, failed('Terminal not found')]);
  });
});

describe('connections and their terminals', () => {
  test('closing a terminal deletes its connections', async () => {
    await connect(a, b);
    await connect(c, a);
    const { body: other } = await connect(b, c);
    await api.delete(`/api/terminals/${a}`);
    expect((await graph()).connections).toEqual([other]);
    expect(await connectionsOf(b)).toEqual({ incoming: [], outgoing: [other] });
  });

  test('a terminal whose program only exits keeps them, also while it is kept', async () => {
    const { body: connection } = await connect(a, b);
    await api.post(`/api/terminals/${b}/input`, { data: '\x04' });
    await eventually('it has exited', async () => (await statusOf(b)) === 'exited');
    expect((await graph()).connections).toEqual([connection]);
    expect((await graph()).nodes.map(({ terminalId }) => terminalId)).not.toContain(b);
    expect(await connectionsOf(b)).toEqual({ incoming: [connection], outgoing: [] });
    await api.delete(`/api/terminals/${b}`);
    expect((await graph()).connections).toEqual([]);
  });

  test('also once its kept time is over', async () => {
    const { body: connection } = await connect(a, b);
    await api.patch('/api/settings', { terminals: { keepExitedMs: 0 } });
    await api.post(`/api/terminals/${b}/input`, { data: '\x04' });
    await eventually('it is gone', async () => (await api.get(`/api/terminals/${b}`)).status === 404);
    expect((await graph()).connections).toEqual([connection]);
    expect(await connectionsOf(a)).toEqual({ incoming: [], outgoing: [connection] });
    await api.delete(`/api/canvas/edges/${connection.id}`);
    await api.patch('/api/settings', { terminals: { keepExitedMs: 600_000 } });
  });

  test('parentTerminalId at create makes an agent-origin connection from the parent', async () => {
    const { id } = await create({ parentTerminalId: a });
    const { incoming } = await connectionsOf(id);
    expect(incoming).toEqual([
      {
        id: expect.any(String),
        from: a,
        to: id,
        label: null,
        origin: 'agent',
        createdAt: expect.any(Number),
      },
    ]);
  });

  test('an unknown parentTerminalId: 404 Terminal not found, and nothing is started', async () => {
    const { status, body } = await api.post<Failure>('/api/terminals', { parentTerminalId: UNKNOWN });
    expect([status, body]).toEqual([404, failed('Terminal not found')]);
    expect((await graph()).nodes).toHaveLength(3);
  });
});
