import { describe, expect, it } from 'vitest';
import type { AttachedClient } from '#dist/contract/attach.js';
import { AttachClient } from '../support/attach-client.js';
import { eventually } from '../support/processes.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();

const BASE = { cols: 80, rows: 24 };
const [SMALL, LARGE] = [
  { cols: 60, rows: 20 },
  { cols: 120, rows: 40 },
];

const create = async () =>
  (await used.api.post<{ id: string }>('/api/terminals', { command: ['cat'] })).body.id;
const sizeOf = async (id: string) => (await used.api.get(`/api/terminals/${id}/size`)).body;
const untilSize = (id: string, size: object) =>
  eventually(`the size is ${JSON.stringify(size)}`, async () => {
    return JSON.stringify(await sizeOf(id)) === JSON.stringify(size);
  });
const clientsOf = async (id: string) =>
  (await used.api.get<{ clients: AttachedClient[] }>(`/api/terminals/${id}/clients`)).body.clients;

const clients = (count: number) =>
  Promise.all(Array.from({ length: count }, () => AttachClient.open(used.service.url)));

const closeAll = (opened: AttachClient[]) => Promise.all(opened.map(({ watcher }) => watcher.close()));

describe('the size', () => {
  it('is that of a client that is alone, then of whoever typed last, then again what the API set', async () => {
    const id = await create();
    const [one, two] = (await clients(2)) as [AttachClient, AttachClient];
    const first = await one.attach(id, SMALL);
    expect(first).toEqual({ clientId: expect.any(String), isLeader: true, ...SMALL });
    expect(await two.attach(id, LARGE)).toEqual({
      clientId: expect.any(String),
      isLeader: false,
      ...SMALL,
    });
    await two.type(id);
    await untilSize(id, LARGE);
    await one.type(id, '\x1b[O');
    expect(await one.command('terminal:resize', id, BASE)).toMatchObject({
      data: { isLeader: false, ...LARGE },
    });
    await one.type(id);
    await untilSize(id, BASE);
    await one.command('terminal:resize', id, SMALL);
    expect(await sizeOf(id)).toEqual(SMALL);
    expect(await two.command('terminal:lead', id)).toMatchObject({ data: { isLeader: true, ...LARGE } });
    expect(await two.command('terminal:detach', id)).toMatchObject({ success: true });
    await untilSize(id, SMALL);
    await one.command('terminal:detach', id);
    expect(await sizeOf(id)).toEqual(BASE);
    await closeAll([one, two]);
  });

  it('comes to the attached client without events=lifecycle', async () => {
    const id = await create();
    const [one, two] = (await clients(2)) as [AttachClient, AttachClient];
    await one.attach(id, SMALL);
    await two.attach(id, LARGE);
    await two.type(id);
    const resized = { type: 'terminal.resized', data: LARGE };
    for (const client of [one, two])
      await client.watcher.until(() => client.events(id).some(({ data }) => data.cols === LARGE.cols));
    expect(one.events(id)).toEqual([{ type: 'terminal.resized', data: SMALL }, resized]);
    expect(two.events(id)).toEqual([resized]);
    await closeAll([one, two]);
  });

  it('set by the API applies at once, and is the one that the last client gives back', async () => {
    const id = await create();
    const [client] = (await clients(1)) as [AttachClient];
    await client.attach(id, SMALL);
    const set = { cols: 100, rows: 30 };
    await used.api.post(`/api/terminals/${id}/size`, set);
    expect(await sizeOf(id)).toEqual(set);
    await client.type(id);
    expect(await client.command('terminal:resize', id, LARGE)).toMatchObject({ data: LARGE });
    await client.command('terminal:detach', id);
    expect(await sizeOf(id)).toEqual(set);
    await client.watcher.close();
  });

  it.each(['close', 'terminate'] as const)('goes back when the socket ends by %s', async (end) => {
    const id = await create();
    const [one, two] = (await clients(2)) as [AttachClient, AttachClient];
    await one.attach(id, SMALL);
    await two.attach(id, LARGE);
    await two.type(id);
    await untilSize(id, LARGE);
    two.watcher.socket[end]();
    await untilSize(id, SMALL);
    one.watcher.socket[end]();
    await untilSize(id, BASE);
    expect(await clientsOf(id)).toEqual([]);
  });
});

describe('a read-only client', () => {
  it('never resizes, leads or types, and keeps nobody from leading', async () => {
    const id = await create();
    const [reader, writer] = (await clients(2)) as [AttachClient, AttachClient];
    expect(await reader.attach(id, { ...LARGE, readOnly: true })).toMatchObject({ isLeader: false, ...BASE });
    for (const refused of [await reader.type(id), await reader.command('terminal:lead', id)])
      expect(refused).toMatchObject({ success: false, code: 'read-only-client' });
    await reader.command('terminal:resize', id, LARGE);
    expect(await sizeOf(id)).toEqual(BASE);
    expect(await writer.attach(id, SMALL)).toMatchObject({ isLeader: true, ...SMALL });
    await writer.watcher.close();
    await untilSize(id, BASE);
    // The client is read-only in this terminal alone.
    expect(await reader.type(await create())).toMatchObject({ success: true });
    await reader.watcher.close();
  });

  it('types again once it has attached anew', async () => {
    const id = await create();
    const client = await AttachClient.open(used.service.url);
    const { clientId } = await client.attach(id, { ...SMALL, readOnly: true });
    expect(await client.attach(id, SMALL)).toMatchObject({ clientId, isLeader: true, ...SMALL });
    expect(await client.type(id)).toMatchObject({ success: true });
    expect(await clientsOf(id)).toHaveLength(1);
    await client.watcher.close();
  });
});

describe('/api/terminals/:id/clients', () => {
  it('lists the clients, and detaches them one by one or all at once', async () => {
    const id = await create();
    const opened = await clients(3);
    const [one, two, three] = opened as [AttachClient, AttachClient, AttachClient];
    const { clientId } = await one.attach(id, { ...SMALL, name: 'of ann' });
    await two.attach(id, { ...LARGE, readOnly: true });
    await three.attach(id, LARGE);
    await three.type(id);
    await untilSize(id, LARGE);
    const listed = await clientsOf(id);
    expect(listed).toMatchObject([
      { clientId, name: 'of ann', readOnly: false, isLeader: false, typedAt: null, terminalId: id, ...SMALL },
      { name: '', readOnly: true, isLeader: false, typedAt: null, ...LARGE },
      { readOnly: false, isLeader: true, typedAt: expect.any(Number), attachedAt: expect.any(Number) },
    ]);
    await used.api.delete(`/api/terminals/${id}/clients/${listed[2]!.clientId}`);
    expect(await sizeOf(id)).toEqual(SMALL);
    const detached = { type: 'client.detached', data: { clientId, name: 'of ann', reason: 'api' } };
    expect((await used.api.delete(`/api/terminals/${id}/clients`)).body).toEqual({
      status: 'ok',
      detached: 2,
    });
    expect(await sizeOf(id)).toEqual(BASE);
    await one.watcher.until(() => one.events(id).some(({ type }) => type === 'client.detached'));
    expect(one.events(id)).toContainEqual(detached);
    // The client's socket is still open; the client is just no longer attached.
    expect(await one.command('terminal:lead', id)).toMatchObject({ code: 'not-attached' });
    expect(await one.type(id)).toMatchObject({ success: true });
    expect(await sizeOf(id)).toEqual(BASE);
    await closeAll(opened);
  });

  it('answers 404 for what is not there', async () => {
    const id = await create();
    const path = '/api/terminals/term_unknown/clients';
    expect(await used.api.get(path)).toMatchObject({ status: 404, body: { code: 'terminal-not-found' } });
    expect(await used.api.delete(path)).toMatchObject({ status: 404 });
    expect(await used.api.delete(`/api/terminals/${id}/clients/client_unknown`)).toMatchObject({
      status: 404,
      body: { code: 'client-not-found' },
    });
  });
});

describe('events', () => {
  it('report who attaches and detaches to clients with events=lifecycle', async () => {
    const id = await create();
    const follower = await AttachClient.open(used.service.url, 'output=0&events=lifecycle');
    const client = await AttachClient.open(used.service.url);
    const { clientId } = await client.attach(id, { ...SMALL, name: 'ann' });
    await client.command('terminal:detach', id);
    await follower.watcher.until(() => follower.events(id).some(({ type }) => type === 'client.detached'));
    expect(follower.events(id).filter(({ type }) => type.startsWith('client.'))).toEqual([
      { type: 'client.attached', data: expect.objectContaining({ clientId, name: 'ann', isLeader: true }) },
      { type: 'client.detached', data: { clientId, name: 'ann', reason: 'requested' } },
    ]);
    await closeAll([follower, client]);
  });

  it('end an attachment when the program exits, or the terminal is closed', async () => {
    const [exits, closes] = [await create(), await create()];
    const client = await AttachClient.open(used.service.url);
    await client.attach(exits, SMALL);
    await client.attach(closes, SMALL);
    await client.type(exits, '\x04');
    await used.api.delete(`/api/terminals/${closes}`);
    const ended = (id: string) => () => client.events(id).some(({ type }) => type === 'client.detached');
    await client.watcher.until(ended(exits));
    await client.watcher.until(ended(closes));
    const last = (id: string) => client.events(id).slice(-2);
    expect(last(exits)).toMatchObject([
      { type: 'terminal.exited', data: { exitCode: 0 } },
      { type: 'client.detached', data: { reason: 'exited' } },
    ]);
    expect(last(closes)).toMatchObject([
      { type: 'terminal.removed' },
      { type: 'client.detached', data: { reason: 'removed' } },
    ]);
    expect(await client.command('terminal:attach', exits, SMALL)).toMatchObject({
      code: 'terminal-not-found',
    });
    await client.watcher.close();
  });
});

it('commands say what they need', async () => {
  const id = await create();
  const client = await AttachClient.open(used.service.url);
  const refused = [
    await client.command('terminal:attach', id, { cols: 0, rows: 1 }),
    await client.command('terminal:attach', id, { ...SMALL, readOnly: 'yes' }),
  ];
  for (const each of refused) expect(each).toMatchObject({ success: false, code: 'invalid-request' });
  expect(await client.command('terminal:attach', 'term_unknown', SMALL)).toMatchObject({
    code: 'terminal-not-found',
  });
  for (const action of ['terminal:detach', 'terminal:lead'])
    expect(await client.command(action, id)).toMatchObject({ code: 'not-attached' });
  expect(await client.command('terminal:detach', 'term_unknown')).toMatchObject({
    code: 'terminal-not-found',
  });
  await client.watcher.close();
});
