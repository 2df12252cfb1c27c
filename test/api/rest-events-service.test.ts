import { describe, expect, it } from 'vitest';
import type { LayoutTree } from '#dist/contract/layout.js';
import type { RunHead } from '#dist/contract/run.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { EventStream } from '../support/event-client.js';
import { useService } from '../support/use-service.js';

const used = useService();

const open = (query = '') => EventStream.open(used.service.url, { query });

async function create(body: object = {}): Promise<string> {
  return (await used.api.post<Terminal>('/api/terminals', { command: ['cat'], ...body })).body.id;
}

describe('events of the service', () => {
  it('report recordings, with the labels of their terminals', async () => {
    const stream = await open('types=recording.*&selector=role=recorded');
    const id = await create({ labels: { role: 'recorded' } });
    const { body } = await used.api.post<{ recordingId: string }>('/api/recordings/start', {
      terminal_id: id,
    });
    const { recordingId } = body;
    await stream.first('recording.started', id);
    await used.api.post(`/api/recordings/stop/${recordingId}`);
    await stream.first('recording.stopped', id);
    // A recording that ends with its terminal.
    const { body: second } = await used.api.post<{ recordingId: string }>('/api/recordings/start', {
      terminal_id: id,
    });
    await used.api.delete(`/api/terminals/${id}`);
    await stream.until(() => stream.of('recording.stopped').length === 2);
    expect(stream.events.slice(1).map(({ type, data }) => [type, data.data])).toEqual([
      ['recording.started', { recordingId }],
      ['recording.stopped', { recordingId }],
      ['recording.started', { recordingId: second.recordingId }],
      ['recording.stopped', { recordingId: second.recordingId }],
    ]);
    expect((await used.api.get(`/api/recordings/${second.recordingId}`)).status).toBe(200);
    await stream.cut();
  });

  it('report the end of a run, with what it came to', async () => {
    const stream = await open('types=run.*');
    const ids = [await create({ command: ['bash'] }), await create({ command: ['bash'] })];
    const { body } = await used.api.post<{ runId: string }>('/api/terminals/batch/run', {
      terminalIds: ids,
      command: 'test "$SERVICE_TERMINAL_ID" = '.concat(ids[0] ?? ''),
    });
    const { data } = await stream.first('run.finished');
    expect(data.terminalId).toBeUndefined();
    expect(data.data).toEqual({
      runId: body.runId,
      state: 'finished',
      command: `test "$SERVICE_TERMINAL_ID" = ${ids[0]}`,
      createdAt: expect.any(Number),
      terminals: 2,
      summary: { total: 2, succeeded: 2, failed: 0, done: 2, zero: 1, nonZero: 1 },
    });
    const { body: listed } = await used.api.get<{ runs: RunHead[] }>('/api/runs');
    const { summary: _, ...head } = data.data;
    expect(listed.runs[0]).toEqual(head);
    await stream.cut();
  });

  it('report which settings have changed, without their values', async () => {
    const stream = await open('types=settings.changed');
    await used.api.patch('/api/settings', {
      search: { maxBytes: 200_000_000 },
      cliTypes: { my_repl: { submit: '\r' } },
    });
    await stream.first('settings.changed');
    // The same value again is no change.
    await used.api.patch('/api/settings', { search: { maxBytes: 200_000_000 } });
    const { body } = await used.api.post<{ authToken: string }>('/api/settings/token/rotate');
    await stream.until(() => stream.of('settings.changed').length === 2);
    expect(stream.events.slice(1).map(({ data }) => data.data)).toEqual([
      { settings: ['cliTypes.my_repl', 'search.maxBytes'] },
      { settings: ['network.authToken'] },
    ]);
    expect(JSON.stringify(stream.events)).not.toContain(body.authToken);
    await stream.cut();
  });

  it('report that layout and canvas have changed', async () => {
    const stream = await open('types=layout.changed,canvas.changed');
    const [one, other] = [await create(), await create()];
    await stream.first('layout.changed');
    await stream.first('canvas.changed');
    const { body } = await used.api.post<{ id: string }>('/api/canvas/edges', { from: one, to: other });
    await stream.until(() => stream.of('canvas.changed').length === 2);
    await used.api.patch(`/api/canvas/edges/${body.id}`, { label: 'x' });
    await stream.until(() => stream.of('canvas.changed').length === 3);
    const { body: layout } = await used.api.get<LayoutTree>('/api/layout');
    const [tab, ...rest] = layout.tabs;
    // The same layout again is no change.
    for (const _ of [1, 2])
      await used.api.post('/api/layout', { ...layout, tabs: [{ ...tab, title: 'new' }, ...rest] });
    await stream.until(() => stream.of('layout.changed').length === 2);
    expect(stream.of('canvas.changed').map(({ data }) => data.data)).toEqual([{}, {}, {}]);
    await stream.cut();
  });

  it('are left out where terminals are selected', async () => {
    const id = await create({ labels: { role: 'alone' } });
    const [byId, byLabel] = [await open(`terminals=${id}`), await open('selector=role=alone')];
    await used.api.patch('/api/settings', { search: { maxBytes: 300_000_000 } });
    await used.api.delete(`/api/terminals/${id}`);
    for (const stream of [byId, byLabel]) {
      await stream.first('terminal.removed', id);
      expect(stream.types).not.toContain('settings.changed');
      await stream.cut();
    }
  });
});
