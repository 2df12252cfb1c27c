import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Frame, type Watcher, watch } from '../support/http.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await sharedService();
  api = createApi(service.url);
});
afterAll(() => service.stop());

const cat = async () => (await api.post<{ id: string }>('/api/terminals', { command: ['cat'] })).body.id;

/** Sends a message and returns the reply with its id. */
async function ask(watcher: Watcher, message: { id: unknown } & Record<string, unknown>): Promise<Frame> {
  const answered = () =>
    watcher.frames.find((frame) => JSON.stringify(frame.id) === JSON.stringify(message.id));
  watcher.send(message);
  await watcher.until(() => answered() !== undefined);
  return answered()!;
}

const input = (id: unknown, terminalId: unknown, data: unknown) => ({
  id,
  type: 'command',
  payload: { action: 'terminal:input', terminalId, data },
});

describe.each(['/ws', '/api/ws'])('%s', (path) => {
  it('welcomes first', async () => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}${path}`);
    const [first] = await once(socket, 'message');
    expect(JSON.parse(String(first))).toEqual({
      id: 'welcome',
      success: true,
      data: { version: '0.1.0', mode: expect.any(String) },
    });
    socket.terminate();
  });
});

describe('messages of a client', () => {
  it('answers heartbeat, subscribe and unknown messages', async () => {
    const watcher = await watch(service.url);
    expect(await ask(watcher, { id: 'h', type: 'heartbeat' })).toEqual({ id: 'h', success: true });
    expect(await ask(watcher, { id: 's', type: 'subscribe' })).toEqual({
      id: 's',
      success: true,
      data: { subscriptionId: expect.any(String) },
    });
    expect(await ask(watcher, { id: 'u', type: 'no such thing' })).toEqual({ id: 'u', success: true });
    expect(await ask(watcher, { id: 7, type: 'command', payload: { action: 'other' } })).toEqual({
      id: 7,
      success: true,
    });
    expect(await ask(watcher, { id: 'n', type: 'command' })).toEqual({ id: 'n', success: true });
    await watcher.close();
  });

  it('types into a terminal, control bytes included, and streams its output', async () => {
    const id = await cat();
    const watcher = await watch(service.url);
    expect(await ask(watcher, input('i', id, 'typed \x01\x1b[A é\r'))).toEqual({ id: 'i', success: true });
    expect(await watcher.untilOutput(id, '\n')).toContain('typed ^A^[[A é\r\n');
    const { event, ...envelope } = watcher.frames.find((frame) => frame.event)!;
    expect(envelope).toEqual({
      type: 'event',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(event).toEqual({ type: 'output.data', terminalId: id, data: { content: expect.any(String) } });
    await watcher.close();
  });

  it('says why it did not type', async () => {
    const watcher = await watch(service.url);
    expect(await ask(watcher, input('a', 'term_unknown', 'x'))).toEqual({
      id: 'a',
      success: false,
      error: 'Terminal not found',
      code: 'terminal-not-found',
      status: 404,
      fix: expect.any(String),
    });
    expect(await ask(watcher, input('b', await cat(), 42))).toMatchObject({ id: 'b', success: false });
    expect(await ask(watcher, input('c', undefined, 'x'))).toMatchObject({ id: 'c', success: false });
    await watcher.close();
  });

  it('keeps the order of what one client types', async () => {
    const watcher = await watch(service.url);
    const { body } = await api.post<{ id: string }>('/api/terminals', {
      command: ['sh', '-c', 'stty raw -echo; echo go; exec cat'],
    });
    await watcher.untilOutput(body.id, 'go');
    const keys = Array.from({ length: 2_000 }, (_, index) => `<${index}>`);
    for (const [index, key] of keys.entries()) watcher.send(input(index, body.id, key));
    const seen = await watcher.untilOutput(body.id, '<1999>');
    expect(seen.slice(seen.indexOf('<0>'))).toBe(keys.join(''));
    await watcher.close();
  });

  it('names an unreadable message, and goes on', async () => {
    const watcher = await watch(service.url);
    for (const broken of ['no json', '[1', '"text"', '5', 'null', '']) watcher.socket.send(broken);
    watcher.socket.send(Buffer.from([1, 2, 3]));
    await watcher.until(() => watcher.frames.filter(({ success }) => success === false).length === 7);
    expect(await ask(watcher, { id: 'still', type: 'heartbeat' })).toMatchObject({ success: true });
    await watcher.close();
  });
});

describe('options of the upgrade', () => {
  it('terminals: only these', async () => {
    const [mine, other] = [await cat(), await cat()];
    const all = await watch(service.url);
    const filtered = await watch(service.url, `terminals=${mine}&events=lifecycle`);
    await ask(all, input('o', other, 'other\r'));
    await all.untilOutput(other, 'other');
    await api.delete(`/api/terminals/${other}`);
    await ask(all, input('m', mine, 'mine\r'));
    await filtered.untilOutput(mine, 'mine');
    expect(filtered.frames.some(({ event }) => event?.terminalId === other)).toBe(false);
    await Promise.all([all.close(), filtered.close()]);
  });

  it('events=lifecycle: the life of a terminal; without it, only output', async () => {
    const plain = await watch(service.url);
    const watcher = await watch(service.url, 'events=lifecycle');
    const { body: created } = await api.post<{ id: string }>('/api/terminals', {
      command: ['sh', '-c', 'read x; exit 5'],
    });
    const kinds = () =>
      watcher.frames.filter(({ event }) => event?.terminalId === created.id).map(({ event }) => event!);
    await api.post(`/api/terminals/${created.id}/size`, { cols: 90, rows: 20 });
    await api.post(`/api/terminals/${created.id}/input`, { data: '\r' });
    await watcher.until(() => kinds().some(({ type }) => type === 'terminal.exited'));
    await api.delete(`/api/terminals/${created.id}`);
    await watcher.until(() => kinds().some(({ type }) => type === 'terminal.removed'));
    expect(kinds().filter(({ type }) => type !== 'output.data')).toEqual([
      { type: 'terminal.created', terminalId: created.id, data: created },
      { type: 'terminal.resized', terminalId: created.id, data: { cols: 90, rows: 20 } },
      {
        type: 'terminal.exited',
        terminalId: created.id,
        data: { exitCode: 5, signal: null, exitedAt: expect.any(Number) },
      },
      { type: 'terminal.removed', terminalId: created.id, data: {} },
    ]);
    expect(plain.frames.every(({ event }) => !event || event.type === 'output.data')).toBe(true);
    await Promise.all([plain.close(), watcher.close()]);
  });

  it('seq=1: the position in bytes', async () => {
    const watcher = await watch(service.url, 'seq=1');
    const { body } = await api.post<{ id: string }>('/api/terminals', { command: ['printf', 'é€😀'] });
    await watcher.untilOutput(body.id, '😀');
    expect(watcher.frames.findLast(({ event }) => event?.terminalId === body.id)?.event?.seq).toBe(9);
    await watcher.close();
  });

  it('refuses unknown options', async () => {
    for (const query of ['events=some', 'activity=yes', 'seq=yes']) {
      const { status, body } = await api.raw({ path: `/ws?${query}`, headers: upgrade });
      expect(status).toBe(400);
      expect(JSON.parse(body)).toEqual(failed());
    }
  });
});

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

describe('an invalid upgrade', () => {
  it.each([
    ['a page of another origin', { ...upgrade, origin: 'http://evil.example' }],
    ['an opaque origin', { ...upgrade, origin: 'null' }],
    ['a foreign Host', { ...upgrade, host: 'evil.example' }],
  ])('%s: 403', async (_name, headers) => {
    const { status, body } = await api.raw({ path: '/ws', headers });
    expect(status).toBe(403);
    expect(JSON.parse(body)).toEqual(failed());
  });

  it('an unknown path: 404, and the connection ends', async () => {
    expect((await api.raw({ path: '/api/terminals/x/ws', headers: upgrade })).status).toBe(404);
  });

  it('a path of an HTTP route: 400', async () => {
    expect((await api.raw({ path: '/health', headers: upgrade })).status).toBe(400);
  });

  it('an ordinary GET: an error that says so', async () => {
    const { status, body } = await api.raw({ path: '/ws' });
    expect(status).toBe(426);
    expect(JSON.parse(body)).toEqual(failed());
  });
});
