import { afterEach, expect, it } from 'vitest';
import { WATCH_INPUT_LOOK_MS } from '#dist/contract/limits.js';
import type { Terminal } from '#dist/contract/terminal.js';
import type { Watch } from '#dist/contract/watch.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });

const post = async <T>(path: string, body: object) => (await used.api.post<T>(path, body)).body;
const type = (id: string, data: string) => post(`/api/terminals/${id}/input`, { data });
const waitFor = (id: string, body: object) => post<{ done: boolean }>(`/api/terminals/${id}/wait`, body);

let watched = '';
afterEach(() => used.api.delete(`/api/watches/${watched}`));

/** A bash with half a line typed at its prompt. */
async function halfTyped(): Promise<string> {
  const { id } = await post<Terminal>('/api/terminals', {});
  await waitFor(id, { until: 'prompt' });
  await type(id, 'echo half of ');
  await waitFor(id, { until: 'text', text: 'half of', echo: true });
  return id;
}

/** Makes a watch type into a terminal. */
async function typeInto(terminalId: string): Promise<void> {
  const actions = [{ type: 'input', terminalId, text: 'echo from the watch' }];
  watched = (await post<Watch>('/api/watches', { text: 'ready', actions })).id;
  await post('/api/terminals', { command: ['bash', '-c', 'echo ready; read x'] });
}

/** Expects that the watch types only once the person's line is submitted. */
async function expectApart(id: string): Promise<void> {
  // Longer than the watch needs for two looks.
  const look = { until: 'text', text: 'from the watch', echo: true, timeoutMs: 2.5 * WATCH_INPUT_LOOK_MS };
  expect((await waitFor(id, look)).done).toBe(false);
  await type(id, 'mine\r');
  await eventually('the line is typed', async () => {
    const { body } = await used.api.get<Watch>(`/api/watches/${watched}`);
    return body.events === 1 && body.waitingInput.length === 0;
  });
  await waitFor(id, { until: 'prompt' });
  const { body } = await used.api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=50`);
  expect(body.raw).toMatch(/^half of mine$.*^from the watch$/ms);
}

it('a watch types nothing behind a line that was half typed before the watch was made', async () => {
  const id = await halfTyped();
  await typeInto(id);
  await expectApart(id);
});

it('a watch types nothing behind a half-typed line that has come back after a run', async () => {
  const id = await halfTyped();
  await post('/api/terminals/batch/run', { terminalIds: [id], command: 'echo a run' });
  await typeInto(id);
  await expectApart(id);
});
