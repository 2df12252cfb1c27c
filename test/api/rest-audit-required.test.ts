import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { watch } from '../support/http.js';
import { useService } from '../support/use-service.js';

const used = useService();
const patch = (settings: object) => used.api.patch<{ code?: string }>('/api/settings', settings);

/** Types over a WebSocket, and resolves with the reply. */
async function typeAs(query: string, terminalId: string, data: string): Promise<unknown> {
  const client = await watch(used.service.url, query);
  client.send({ id: 'typed', type: 'command', payload: { action: 'terminal:input', terminalId, data } });
  const reply = () => client.frames.find(({ id }) => id === 'typed');
  await client.until(() => reply() !== undefined);
  await client.close();
  return reply();
}

test('where the audit log is required and cannot be written, nobody types, and the setting can be turned off', async () => {
  const { id } = (await used.api.post<Terminal>('/api/terminals', { command: ['cat'] })).body;
  const folder = join(used.service.home, 'data/audit');
  await writeFile(folder, 'no folder');
  expect((await patch({ audit: { enabled: true, required: true } })).status).toBe(200);
  const refused = { success: false, code: 'audit-unavailable' };
  expect(await typeAs('', id, 'PROGRAM\n')).toMatchObject(refused);
  expect(await typeAs('origin=user', id, 'PERSON\n')).toMatchObject(refused);
  expect(await patch({ audit: { keepDays: 1 } })).toMatchObject({
    status: 503,
    body: { code: 'audit-unavailable' },
  });
  expect((await patch({ audit: { required: false } })).status).toBe(200);
  expect((await patch({ audit: { required: true } })).status).toBe(200);
  expect((await patch({ audit: { enabled: false } })).status).toBe(200);
  await rm(folder);
  expect((await patch({ audit: { enabled: true } })).status).toBe(200);
  expect(await typeAs('origin=user', id, 'LAST\n')).toMatchObject({ success: true });
  const output = async () => (await used.api.get<{ raw: string }>(`/api/terminals/${id}/output`)).body.raw;
  await expect.poll(output).toContain('LAST');
  expect(await output()).not.toMatch(/PROGRAM|PERSON/);
  await patch({ audit: null });
});
