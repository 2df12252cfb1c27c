import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LayoutTree } from '#dist/contract/layout.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { EventStream } from '../support/event-client.js';
import { type Frame, type Watcher, watch } from '../support/http.js';
import { useService } from '../support/use-service.js';

const used = useService();

/** Event types that clients get only if they ask for more than lifecycle events. */
const NEW = [
  'terminal.updated',
  'terminal.title',
  'terminal.bell',
  'input.changed',
  'recording.started',
  'recording.stopped',
  'run.finished',
  'layout.changed',
  'canvas.changed',
  'settings.changed',
];

const create = async (body: object = {}) =>
  (await used.api.post<Terminal>('/api/terminals', { command: ['cat'], ...body })).body.id;
const eventsOf = ({ frames }: Watcher) => frames.flatMap(({ event }) => (event ? [event] : []));
const typesOf = (watcher: Watcher) => new Set(eventsOf(watcher).map(({ type }) => type));
const until = (watcher: Watcher, type: string, terminalId?: string) =>
  watcher.until(() =>
    eventsOf(watcher).some(
      (event) => event.type === type && (terminalId === undefined || event.terminalId === terminalId),
    ),
  );

/** Causes an event of each new type. Resolves once the client has got each of them. */
async function causeAll(watcher: Watcher): Promise<string> {
  const { api } = used;
  const id = await create();
  await api.patch(`/api/terminals/${id}`, { name: 'renamed' });
  // The terminal echoes a control character as a caret and a letter, and cat prints it.
  await api.post(`/api/terminals/${id}/input`, { data: '\u0016\u001b]0;a title\u0016\u0007\u0016\u0007\r' });
  await api.put(`/api/canvas/nodes/${id}`, { x: 5_000 });
  const { body: layout } = await api.get<LayoutTree>('/api/layout');
  await api.post('/api/layout', {
    ...layout,
    tabs: layout.tabs.map((tab) => ({ ...tab, title: `${tab.title}, renamed` })),
  });
  const { body } = await api.post<{ recordingId: string }>('/api/recordings/start', { terminal_id: id });
  await api.post(`/api/recordings/stop/${body.recordingId}`);
  const shell = await create({ command: ['bash'] });
  await api.post('/api/terminals/batch/run', { terminalIds: [shell], command: 'true' });
  await api.patch('/api/settings', { search: { maxBytes: 201_000_000 } });
  for (const type of NEW) await until(watcher, type);
  for (const each of [id, shell]) await api.delete(`/api/terminals/${each}`);
  return shell;
}

describe('events=all', () => {
  it('sends each event; other clients are sent none of the new ones', async () => {
    const { url } = used.service;
    const [all, plain, lifecycle, attached] = [
      await watch(url, 'events=all&output=0'),
      await watch(url),
      await watch(url, 'events=lifecycle'),
      await watch(url, 'activity=0&events=lifecycle&snapshot=1&screens=1&origin=user&seq=1'),
    ];
    const last = await causeAll(all);
    await until(all, 'terminal.removed', last);
    for (const watcher of [lifecycle, attached]) {
      await until(watcher, 'terminal.removed', last);
      for (const type of [...NEW, 'terminal.activity']) expect(typesOf(watcher)).not.toContain(type);
      expect(typesOf(watcher)).toContain('command.finished');
    }
    const marker = await create({ command: ['sh', '-c', 'echo the end; cat'] });
    await plain.untilOutput(marker, 'the end');
    expect(typesOf(plain)).toEqual(new Set(['output.data']));
    for (const type of ['terminal.created', 'terminal.removed', 'command.finished', ...NEW])
      expect(typesOf(all)).toContain(type);
    expect(typesOf(all)).not.toContain('output.data');
    const { event } = all.frames.find((frame) => frame.event?.type === 'settings.changed') as Frame;
    expect(event).toEqual({ type: 'settings.changed', data: { settings: ['search.maxBytes'] } });
    await Promise.all([all, plain, lifecycle, attached].map((watcher) => watcher.close()));
  });

  it('sends the events of all terminals, and the output of those that are watched', async () => {
    const watched = await create();
    const watcher = await watch(used.service.url, `events=all&terminals=${watched}`);
    const other = await create();
    for (const id of [other, watched]) await used.api.post(`/api/terminals/${id}/input`, { data: `${id}\r` });
    await watcher.untilOutput(watched, `${watched}\r\n${watched}\r\n`);
    await used.api.delete(`/api/terminals/${other}`);
    await until(watcher, 'terminal.removed', other);
    const own = eventsOf(watcher).filter(({ terminalId }) => terminalId === other);
    expect(own.map(({ type }) => type)).toEqual(['terminal.created', 'input.changed', 'terminal.removed']);
    await watcher.close();
  });

  it('sends an attached client each of its events once', async () => {
    const id = await create();
    const watcher = await watch(used.service.url, 'events=all');
    const payload = { action: 'terminal:attach', terminalId: id, cols: 60, rows: 20 };
    watcher.send({ id: '1', type: 'command', payload });
    await until(watcher, 'terminal.resized', id);
    await used.api.delete(`/api/terminals/${id}`);
    await until(watcher, 'client.detached', id);
    const own = eventsOf(watcher).filter(
      ({ terminalId, type }) => terminalId === id && type !== 'output.data',
    );
    expect(own.map(({ type }) => type).sort()).toEqual(
      ['client.attached', 'client.detached', 'terminal.removed', 'terminal.resized'].sort(),
    );
    await watcher.close();
  });

  it('comes to all followers in the same order, which is that of GET /api/events', async () => {
    const { api, service } = used;
    const ids = await Promise.all([create(), create(), create()]);
    const action = fc.tuple(fc.constantFrom(...ids), fc.integer({ min: 0, max: 5 }), fc.nat());
    const act = ([id, kind, n]: [string, number, number]): Promise<unknown> => {
      if (kind === 0) return api.patch(`/api/terminals/${id}`, { name: `name ${n}` });
      if (kind === 1) return api.post(`/api/terminals/${id}/size`, { cols: 20 + (n % 100), rows: 20 });
      if (kind === 2) return api.put(`/api/canvas/nodes/${id}`, { x: n % 1_000 });
      if (kind === 3)
        return api.post(`/api/terminals/${id}/input`, { data: `\u0016\u001b]0;${n}\u0016\u0007\r` });
      if (kind === 4) return create({ command: ['true'] });
      return api.post('/api/recordings/start', { terminal_id: id }).then(async ({ body }) => {
        const { recordingId } = body as { recordingId?: string };
        if (recordingId !== undefined) await api.post(`/api/recordings/stop/${recordingId}`);
      });
    };
    let maxBytes = 400_000_000;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 30 }), async (actions) => {
        const sockets = [
          await watch(service.url, 'events=all&output=0'),
          await watch(service.url, 'events=all'),
        ];
        const streams = await Promise.all([1, 2].map(() => EventStream.open(service.url)));
        await Promise.all(streams.map((stream) => stream.until(() => stream.events.length > 0)));
        const begin = ++maxBytes;
        // From here on, all sockets and streams are connected.
        await api.patch('/api/settings', { search: { maxBytes: begin } });
        await Promise.all(actions.map(act));
        await api.patch('/api/settings', { search: { maxBytes: ++maxBytes } });
        const isMark = ({ type }: { type: string }) => type === 'settings.changed';
        await Promise.all([
          ...sockets.map((socket) => socket.until(() => eventsOf(socket).filter(isMark).length === 2)),
          ...streams.map((stream) => stream.until(() => stream.events.filter(isMark).length === 2)),
        ]);
        const between = <Event extends { type: string }>(events: Event[]) =>
          events.slice(events.findIndex(isMark), events.findLastIndex(isMark) + 1);
        const [one, other] = sockets.map((socket) =>
          between(eventsOf(socket).filter(({ type }) => type !== 'output.data')),
        );
        const [streamed, again] = streams.map((stream) =>
          between(stream.events).map(({ data: { type, terminalId, data } }) => ({
            ...{ type, ...(terminalId !== undefined && { terminalId }), data },
          })),
        );
        expect(other).toEqual(one);
        expect(again).toEqual(streamed);
        expect(one?.filter(({ type }) => type !== 'terminal.title')).toEqual(streamed);
        await Promise.all([
          ...sockets.map((socket) => socket.close()),
          ...streams.map((stream) => stream.cut()),
        ]);
      }),
      { numRuns: 10 },
    );
  });
});

describe('activity=1', () => {
  it('sends which terminals print, and how much, and each at most once in a message', async () => {
    const watcher = await watch(used.service.url, 'activity=1&output=0');
    const both = await Promise.all([create(), create()]);
    for (const id of both) await used.api.post(`/api/terminals/${id}/input`, { data: 'one\r' });
    const reports = () =>
      eventsOf(watcher).map(({ data }) => new Map(data.terminals as [id: string, bytes: number][]));
    const printed = (id: string) => reports().reduce((sum, report) => sum + (report.get(id) ?? 0), 0);
    for (const id of both) await watcher.until(() => printed(id) === 2 * 'one\r\n'.length);
    expect(typesOf(watcher)).toEqual(new Set(['terminal.activity']));
    for (const { data } of eventsOf(watcher)) {
      const terminals = data.terminals as [string, number][];
      expect(new Set(terminals.map(([id]) => id)).size).toBe(terminals.length);
    }
    await watcher.close();
  });
});
