import { afterEach, describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { Watch } from '#dist/contract/watch.js';
import { startAppInProcess } from '../support/app.js';
import { EventStream } from '../support/event-client.js';
import { createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

const ECHO = ['bash', '-c', 'while read line; do echo "said $line"; done'];

describe('watches', () => {
  it('survive the kill of the service, tell nothing twice, and say that there is a gap', async () => {
    service = await startService();
    let api = createApi(service.url);
    const id = (await api.post<Terminal>('/api/terminals', { command: ECHO })).body.id;
    const { body: watch } = await api.post<Watch>('/api/watches', { text: 'said', debounceMs: 0 });
    const before = await EventStream.open(service.url, { query: 'types=watch.*' });
    await api.post(`/api/terminals/${id}/input`, { data: 'one\n' });
    await before.first('watch.matched', id);
    await service.kill('SIGKILL');
    await before.closed;
    service = await startService({ home: service.home });
    api = createApi(service.url);
    const after = await EventStream.open(service.url, {
      query: 'types=watch.*',
      lastEventId: before.lastEventId,
    });
    // Output that comes before a shard has taken in the terminal is part of the gap.
    await api.post(`/api/terminals/${id}/wait`, { until: 'idle', idleMs: 1 });
    await api.post(`/api/terminals/${id}/input`, { data: 'two\n' });
    await after.first('watch.matched', id);
    expect(after.of('watch.matched').map(({ data }) => data.data.text)).toEqual(['said two']);
    const { body } = await api.get<Watch>(`/api/watches/${watch.id}`);
    expect(body).toMatchObject({ gaps: 1, text: 'said', lastMatch: { text: 'said two' } });
    await after.cut();
  });

  it('type the line that waited when the service was killed, once', async () => {
    service = await startService({ env: { SHELL: '/bin/bash' } });
    let api = createApi(service.url);
    const shell = (await api.post<Terminal>('/api/terminals', {})).body.id;
    await api.post(`/api/terminals/${shell}/wait`, { until: 'prompt' });
    await api.post(`/api/terminals/${shell}/input`, { data: 'read answer\r' });
    await api.post(`/api/terminals/${shell}/wait`, { until: 'idle', idleMs: 300 });
    const actions = [{ type: 'input', terminalId: shell, text: 'echo "typed" {count}' }];
    const { body: watch } = await api.post<Watch>('/api/watches', { text: 'said', once: true, actions });
    const id = (await api.post<Terminal>('/api/terminals', { command: ECHO })).body.id;
    const stream = await EventStream.open(service.url, { query: 'types=watch.ended' });
    await api.post(`/api/terminals/${id}/input`, { data: 'one\n' });
    // The event is sent once it is on disk; by then, everything written before it is on disk, too.
    await stream.first('watch.ended');
    await eventually('the line waits', async () => {
      return (await api.get<Watch>(`/api/watches/${watch.id}`)).body.waitingInput.length === 1;
    });
    await service.kill('SIGKILL');
    await stream.closed;
    service = await startService({ home: service.home, env: { SHELL: '/bin/bash' } });
    api = createApi(service.url);
    const { body: kept } = await api.get<Watch>(`/api/watches/${watch.id}`);
    expect(kept).toMatchObject({ ended: 'once', waitingInput: [{ terminalId: shell, count: 1 }] });
    await api.post(`/api/terminals/${shell}/input`, { data: '\r' });
    const found = await api.post(`/api/terminals/${shell}/wait`, { until: 'text', text: 'typed 1' });
    expect(found.body).toMatchObject({ done: true });
    await eventually('nothing waits', async () => {
      return (await api.get<Watch>(`/api/watches/${watch.id}`)).body.waitingInput.length === 0;
    });
    await api.post(`/api/terminals/${shell}/wait`, { until: 'prompt' });
    const { body } = await api.get<{ commands: { commandLine: string }[] }>(
      `/api/terminals/${shell}/commands`,
    );
    expect(body.commands.filter(({ commandLine }) => commandLine.includes('typed'))).toHaveLength(1);
  });

  it('go on in the successor of a shard that died, with the labels of their terminals', async () => {
    const started = await startAppInProcess({ terminals: { shards: 1 } });
    const api = createApi(started.app.url);
    const labels = { role: 'watched' };
    const id = (await api.post<Terminal>('/api/terminals', { command: ECHO, labels })).body.id;
    const { body: watch } = await api.post<Watch>('/api/watches', {
      ...{ text: 'said', selector: 'role=watched', debounceMs: 0 },
    });
    const stream = await EventStream.open(started.app.url, { query: 'types=watch.*' });
    await api.post(`/api/terminals/${id}/input`, { data: 'one\n' });
    await stream.first('watch.matched', id);
    await (await started.app.terminals.shards).kill(0);
    await eventually('the successor has the terminal', async () => {
      return (await api.get<Watch>(`/api/watches/${watch.id}`)).body.gaps === 1;
    });
    await api.post(`/api/terminals/${id}/wait`, { until: 'idle', idleMs: 1 });
    await api.post(`/api/terminals/${id}/input`, { data: 'two\n' });
    await stream.until(() => stream.of('watch.matched').length > 1);
    expect(stream.of('watch.matched').map(({ data }) => data.data.text)).toEqual(['said one', 'said two']);
    await stream.cut();
    await started.stop();
  });
});
