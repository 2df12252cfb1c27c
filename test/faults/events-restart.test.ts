import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { EventStream, type StreamedEvent } from '../support/event-client.js';
import { createApi } from '../support/http.js';
import { eventually, hostPidOf } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
afterEach(() => service.stop());

const numberOf = (id: string) => Number(id.split('-')[1]);
const ofTerminals = ([, id]: unknown[]) => id !== undefined;
const briefOf = ({ type, data }: StreamedEvent) => [type, data.terminalId];

/** Ends the service, and starts another on its state. */
async function restart(signal: NodeJS.Signals, meanwhile: () => Promise<void> = async () => {}) {
  await service.kill(signal);
  await meanwhile();
  service = await startService({ home: service.home });
  return createApi(service.url);
}

/** Resolves once the process is gone. */
function untilGone(pid: number): Promise<unknown> {
  return eventually(`process ${pid} is gone`, async () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
}

describe('the log of events after a restart of the service', () => {
  it('goes on with the next number after a clean stop, which is in the log', async () => {
    service = await startService();
    const { post } = createApi(service.url);
    const before = await EventStream.open(service.url);
    const { body } = await post<Terminal>('/api/terminals', { command: ['cat'] });
    const { id: last } = await before.first('terminal.created', body.id);
    const next = await restart('SIGTERM');
    await before.closed;
    const { body: later } = await next.post<Terminal>('/api/terminals', { command: ['cat'] });
    const after = await EventStream.open(service.url, { lastEventId: before.lastEventId });
    await after.first('terminal.created', later.id);
    // The client now gets the events of the stop that it had missed.
    const all = [...before.events.slice(1), ...after.events.slice(1)];
    expect(all.map(briefOf).filter(ofTerminals)).toEqual([
      ['terminal.created', body.id],
      ['terminal.removed', body.id],
      ['terminal.created', later.id],
    ]);
    const first = numberOf(last) - before.events.findIndex(({ id }) => id === last) + 1;
    expect(all.map(({ id }) => numberOf(id))).toEqual(all.map((_, index) => first + index));
    await after.cut();
  });

  it('has what happened to terminals while no service ran, after a kill', async () => {
    service = await startService();
    const { post, patch } = createApi(service.url);
    const ids: string[] = [];
    const pids: number[] = [];
    for (const name of ['ends', 'stays', 'typed into']) {
      const { body } = await post<Terminal>('/api/terminals', { name, command: ['cat'], labels: { name } });
      ids.push(body.id);
      pids.push(body.pid);
    }
    const [ends = '', stays = '', typed = ''] = ids;
    await post(`/api/terminals/${typed}/input`, { data: 'x' });
    const before = await EventStream.open(service.url);
    await patch(`/api/terminals/${stays}`, { name: 'renamed' });
    await before.first('terminal.updated', stays);
    const { lastEventId } = before;
    const next = await restart('SIGKILL', async () => {
      process.kill(pids[0] ?? 0, 'SIGKILL');
      await untilGone(pids[0] ?? 0);
    });
    const after = await EventStream.open(service.url, { lastEventId });
    await next.post(`/api/terminals/${stays}/size`, { cols: 50, rows: 20 });
    await after.first('terminal.resized', stays);
    expect(after.events.map(briefOf).filter(ofTerminals).sort()).toEqual(
      [
        ['terminal.exited', ends],
        ['input.changed', typed],
        ['terminal.resized', stays],
      ].sort(),
    );
    expect((await after.first('terminal.exited')).data.data).toMatchObject({ signal: 'SIGKILL' });
    expect((await after.first('input.changed')).data.data).toEqual({ source: null });
    const own = await EventStream.open(service.url, { lastEventId, query: 'selector=name=ends' });
    await own.first('terminal.exited', ends);
    await own.cut();
    await after.cut();
  });

  it('begins another epoch after the store was damaged, though its copy has a log', async () => {
    service = await startService();
    const { post } = createApi(service.url);
    const stream = await EventStream.open(service.url);
    const { body } = await post<Terminal>('/api/terminals', { command: ['cat'] });
    await stream.first('terminal.created', body.id);
    const { home } = service;
    // A clean stop leaves a copy.
    await restart('SIGTERM');
    await stream.closed;
    const next = await restart('SIGTERM', () =>
      writeFile(join(home, 'data', 'store', 'data.mdb'), Buffer.alloc(200_000, 0x5a)),
    );
    expect(service.log()).toContain('the store is damaged');
    const after = await EventStream.open(service.url, { lastEventId: stream.lastEventId });
    const { body: later } = await next.post<Terminal>('/api/terminals', { command: ['cat'] });
    await after.first('terminal.created', later.id);
    expect(after.types.slice(0, 2)).toEqual(['resync', 'terminal.created']);
    await after.cut();
  });

  it('says that a terminal is gone with its pty host', async () => {
    service = await startService();
    const { post } = createApi(service.url);
    const stream = await EventStream.open(service.url);
    const { body } = await post<Terminal>('/api/terminals', { command: ['cat'] });
    await stream.first('terminal.created', body.id);
    await stream.cut();
    const { lastEventId } = stream;
    await restart('SIGKILL', async () => {
      const host = hostPidOf(service.home);
      process.kill(host, 'SIGKILL');
      await untilGone(host);
      await untilGone(body.pid);
    });
    const after = await EventStream.open(service.url, { lastEventId });
    const exited = await after.first('terminal.exited', body.id);
    expect(exited.data.data).toMatchObject({ exitCode: null, signal: null, reason: 'host-lost' });
    expect(after.of('resync')).toEqual([]);
    await after.cut();
  });

  it('reports each command once, also one that ended while no service ran', async () => {
    service = await startService();
    const { post } = createApi(service.url);
    const { body } = await post<Terminal>('/api/terminals', { command: ['bash'] });
    const { id } = body;
    const stream = await EventStream.open(service.url, { query: 'types=command.*' });
    await post(`/api/terminals/${id}/execute`, { prompt: 'true', cliType: 'default' });
    await stream.first('command.finished', id);
    const go = `${service.home}/go`;
    const prompt = `until test -e ${go}; do sleep 0.05; done; : second`;
    await post(`/api/terminals/${id}/execute`, { prompt, cliType: 'default' });
    await stream.until(() => stream.of('command.started').length === 2);
    await stream.cut();
    const { lastEventId } = stream;
    const api = await restart('SIGKILL', async () => {
      await writeFile(go, '');
    });
    const after = await EventStream.open(service.url, { lastEventId, query: 'types=command.*' });
    await after.first('command.finished', id);
    await api.post(`/api/terminals/${id}/execute`, { prompt: ': third', cliType: 'default' });
    await after.until(() => after.of('command.finished').length === 2);
    const lines = [...stream.events, ...after.events].flatMap(({ type, data }) =>
      type === 'ready' ? [] : [`${type} ${String(data.data.commandLine).slice(-8)}`],
    );
    expect(lines).toEqual([
      'command.started true',
      'command.finished true',
      'command.started : second',
      'command.finished : second',
      'command.started : third',
      'command.finished : third',
    ]);
    await after.cut();
  });
});
