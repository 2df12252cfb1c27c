import { beforeEach, describe, expect, test } from 'vitest';
import type { CanvasGraph, CanvasGroup, CanvasNode } from '#dist/contract/canvas.js';
import { MAX_CANVAS_COORDINATE, MAX_CANVAS_SIDE } from '#dist/contract/limits.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { EventStream } from '../support/event-client.js';
import { failed } from '../support/failed.js';
import type { Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();

const BOX = { label: 'größer', color: '#3b82f6', x: -20.5, y: 0, width: 500, height: 300 };
const UNKNOWN = 'term_000000000000';

let id: string;
beforeEach(async () => {
  id = (await used.api.post<Terminal>('/api/terminals', { command: ['cat'], name: 'placed' })).body.id;
});

const graph = async () => (await used.api.get<CanvasGraph>('/api/canvas/graph')).body;
const node = async () => (await graph()).nodes.find(({ terminalId }) => terminalId === id);
const place = (body: unknown, terminalId = id) =>
  used.api.put<CanvasNode & Failure>(`/api/canvas/nodes/${terminalId}`, body);
const addGroup = (body: unknown) => used.api.post<CanvasGroup & Failure>('/api/canvas/groups', body);

describe('PUT /api/canvas/nodes/:terminalId', () => {
  test('changes the fields that are named, and answers the node', async () => {
    const before = await node();
    const { status, body } = await place({ x: -1.5, height: 99 });
    expect([status, body]).toEqual([200, { ...before, x: -1.5, height: 99 }]);
    const { body: group } = await addGroup(BOX);
    const placed = { x: 1, y: 2, width: 3, height: 4, groupId: group.id };
    expect((await place(placed)).body).toEqual({ terminalId: id, title: 'placed', ...placed });
    expect(await node()).toEqual({ terminalId: id, title: 'placed', ...placed });
    expect((await place({ groupId: null })).body.groupId).toBeNull();
    expect((await place({})).status).toBe(200);
  });

  test('404 for an unknown or exited terminal, and for an unknown group', async () => {
    expect([await place({ x: 1 }, UNKNOWN)].map(({ status, body }) => [status, body])).toEqual([
      [404, failed('Terminal not found')],
    ]);
    const refused = await place({ x: 123, groupId: 'gr-000000000000' });
    expect([refused.status, refused.body]).toEqual([404, failed('Group not found')]);
    expect((await node())?.x).not.toBe(123);
    await used.api.post(`/api/terminals/${id}/input`, { data: '\x04' });
    await eventually('it has exited', async () => (await node()) === undefined);
    expect((await place({ x: 1 })).status).toBe(404);
  });

  test('400 for what is no number in bounds, also with an unknown terminal; nothing changes', async () => {
    const before = await node();
    const invalid: unknown[] = [
      { x: '1' },
      { x: null },
      { y: MAX_CANVAS_COORDINATE + 1 },
      { x: -MAX_CANVAS_COORDINATE - 1 },
      { width: 0 },
      { height: -1 },
      { width: MAX_CANVAS_SIDE + 1 },
      { groupId: 7 },
      [],
    ];
    for (const body of invalid) {
      const { status, body: answer } = await place(body, UNKNOWN);
      expect([body, status, answer]).toEqual([body, 400, failed()]);
      await place(body);
    }
    const infinite = await used.api.raw({
      method: 'PUT',
      path: `/api/canvas/nodes/${id}`,
      headers: { 'content-type': 'application/json' },
      body: '{"x":1e999}',
    });
    expect(infinite.status).toBe(400);
    expect(await node()).toEqual(before);
  });
});

describe('/api/canvas/groups', () => {
  test('are created, changed and deleted; nodes of a deleted one are in none', async () => {
    const { status, body: group } = await addGroup(BOX);
    expect([status, group]).toEqual([201, { id: expect.stringMatching(/^gr-[0-9a-f]{12}$/), ...BOX }]);
    expect((await graph()).groups).toContainEqual(group);
    await place({ groupId: group.id });
    const path = `/api/canvas/groups/${group.id}`;
    const changed = await used.api.patch<CanvasGroup>(path, { label: 'new', x: 7 });
    expect([changed.status, changed.body]).toEqual([200, { ...group, label: 'new', x: 7 }]);
    expect((await node())?.groupId).toBe(group.id);
    const gone = await used.api.delete(path);
    expect([gone.status, gone.body]).toEqual([204, undefined]);
    expect((await node())?.groupId).toBeNull();
    expect((await graph()).groups.map((each) => each.id)).not.toContain(group.id);
    for (const again of [await used.api.delete(path), await used.api.patch(path, {})])
      expect([again.status, again.body]).toEqual([404, failed('Group not found')]);
  });

  test('400 for an invalid one', async () => {
    const { label: _, ...unnamed } = BOX;
    const before = (await graph()).groups;
    for (const body of [
      unnamed,
      { ...BOX, color: 'x'.repeat(65) },
      { ...BOX, label: 'x'.repeat(1_001) },
      { ...BOX, width: 0 },
      { ...BOX, x: '0' },
      undefined,
    ])
      expect((await addGroup(body)).status).toBe(400);
    expect((await graph()).groups).toEqual(before);
  });

  test('each change is reported as canvas.changed', async () => {
    const { body: group } = await addGroup(BOX);
    const stream = await EventStream.open(used.service.url, {
      query: 'types=canvas.changed',
    });
    const seen = () => stream.of('canvas.changed').length;
    // The events of the test's setup come first.
    await place({ x: 1_000 });
    await stream.until(() => seen() > 0);
    const changes: (() => Promise<unknown>)[] = [
      () => place({ x: 2_000 }),
      () => place({ groupId: group.id }),
      () => used.api.patch(`/api/canvas/groups/${group.id}`, { label: 'two' }),
      () => addGroup(BOX),
      () => used.api.delete(`/api/canvas/groups/${group.id}`),
      () => used.api.patch(`/api/terminals/${id}`, { name: 'renamed' }),
    ];
    for (const change of changes) {
      const before = seen();
      await change();
      await stream.until(() => seen() > before);
    }
    await stream.cut();
  });
});
