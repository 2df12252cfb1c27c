import { expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { WaitManyAnswer } from '#dist/contract/wait-many.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });

const post = async <T>(path: string, body: object) => (await used.api.post<T>(path, body)).body;
const type = (id: string, data: string) => post(`/api/terminals/${id}/input`, { data });

/** Opens a bash in which a command waits for a line. */
async function busyShell(): Promise<string> {
  const { id } = await post<Terminal>('/api/terminals', { labels: { role: 'all' } });
  await post(`/api/terminals/${id}/wait`, { until: 'prompt' });
  await type(id, 'read line; echo "got $line"\r');
  await eventually('the command runs', async () => {
    const { body } = await used.api.get<{ commands: { endedAt: null }[] }>(`/api/terminals/${id}/commands`);
    return body.commands[0]?.endedAt === null;
  });
  return id;
}

it('a wait over all machines counts what has happened in a terminal that goes on since', async () => {
  const [first, second] = [await busyShell(), await busyShell()];
  const body = { selector: 'role=all', machines: 'all', until: ['finished'], mode: 'all', timeoutMs: 20_000 };
  const waiting = post<WaitManyAnswer>('/api/terminals/wait', body);
  await eventually('it waits', async () =>
    (await used.api.get<string>('/metrics')).body.includes('_waits 2'),
  );
  await type(first, 'one\r');
  // It has news, and waits for the other terminal alone.
  await eventually('it waits', async () =>
    (await used.api.get<string>('/metrics')).body.includes('_waits 1'),
  );
  await type(first, 'sleep 100\r');
  await post(`/api/terminals/${first}/wait`, { until: 'text', text: 'sleep 100', echo: true });
  await type(second, 'two\r');
  const answer = await waiting;
  expect(answer).toMatchObject({
    done: true,
    pending: [],
    summary: { total: 2, met: 2, gone: 0, pending: 0 },
  });
  const commands = answer.results.map(({ command }) => command?.commandLine);
  expect(commands).toEqual(['read line; echo "got $line"', 'read line; echo "got $line"']);
}, 60_000);
