import { expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { Watch } from '#dist/contract/watch.js';
import { EventStream } from '../support/event-client.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService();

it.each([{ text: 'mark 1' }, { regex: 'mark \\d' }])(
  'a watch finds a line that is printed just before its terminal is closed: %o',
  async (what) => {
    const { api, service } = used;
    const stream = await EventStream.open(service.url, { query: 'types=watch.matched' });
    const watch = (await api.post<Watch>('/api/watches', { ...what, debounceMs: 0, maxPerMinute: 600 })).body;
    for (const command of ['read x; echo mark 1; read y', 'read x; printf "mark 1"; read y']) {
      const { id } = (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', command] })).body;
      const seen = api.post(`/api/terminals/${id}/wait`, { until: 'text', text: 'mark 1' });
      await api.post(`/api/terminals/${id}/input`, { data: '\n' });
      await seen;
      await api.delete(`/api/terminals/${id}`);
      await stream.first('watch.matched', id);
    }
    expect((await api.get<Watch>(`/api/watches/${watch.id}`)).body.matches).toBe(2);
    await api.delete(`/api/watches/${watch.id}`);
    await stream.cut();
  },
);

it('a watch tells what is gathered of a terminal that is gone to those who follow its labels', async () => {
  const { api, service } = used;
  const stream = await EventStream.open(service.url, { query: 'selector=role=gone' });
  const watch = (await api.post<Watch>('/api/watches', { text: 'mark', debounceMs: 2_000 })).body;
  const command = ['sh', '-c', 'echo mark 1; read x; echo mark 2; read y'];
  const { id } = (await api.post<Terminal>('/api/terminals', { command, labels: { role: 'gone' } })).body;
  await stream.first('watch.matched', id);
  await api.post(`/api/terminals/${id}/input`, { data: '\n' });
  await eventually('the second match is counted', async () => {
    const { matches } = (await api.get<Watch>(`/api/watches/${watch.id}`)).body;
    return matches === 2;
  });
  await api.delete(`/api/terminals/${id}`);
  await stream.until(() => stream.of('watch.matched').length === 2);
  expect(stream.of('watch.matched').map(({ data }) => data.data.text)).toEqual(['mark 1', 'mark 2']);
  await stream.cut();
});
