import { afterEach, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { TerminalView } from '#dist/contract/terminal-view.js';
import { EventStream } from '../support/event-client.js';
import { createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
afterEach(() => service?.stop());

const titleOf = async (id: string) => {
  const { body } = await createApi(service.url).get<{ terminals: TerminalView[] }>(
    '/api/terminals?view=full',
  );
  return body.terminals.find((terminal) => terminal.id === id)?.title;
};

/** More than the pty host keeps without a checkpoint of the screen. */
const FLOOD = 'seq 400000';

test.each([
  ['', 'from the output that the pty host has kept'],
  [`; ${FLOOD}`, 'from the checkpoint of its screen'],
])('a title is known after the service was killed, and its bell rings no more (%j: %s)', async (flood) => {
  service = await startService();
  const { post } = createApi(service.url);
  const script = String.raw`printf '\033]0;kept\007\007'${flood}; echo ready; read x; printf '\a'; cat`;
  const { id } = (await post<Terminal>('/api/terminals', { command: ['sh', '-c', script] })).body;
  await post(`/api/terminals/${id}/wait`, { until: 'text', text: 'ready', timeoutMs: 60_000 });
  expect(await titleOf(id)).toBe('kept');
  await service.kill('SIGKILL');
  service = await startService({ home: service.home });
  const stream = await EventStream.open(service.url, { query: 'types=terminal.bell,terminal.title' });
  await eventually('the title is known', async () => (await titleOf(id)) === 'kept');
  await createApi(service.url).post(`/api/terminals/${id}/input`, { data: 'x\r' });
  await stream.first('terminal.bell', id);
  expect(stream.of('terminal.bell')).toHaveLength(1);
  await stream.cut();
});
