import { cp, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { CLI } from '../support/cli.js';
import { createApi } from '../support/http.js';
import { startService } from '../support/service.js';

/** Copies the package as it is installed. Returns the copy's folder. */
async function installed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'at-package-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const root = join(dirname(CLI), '../..');
  await cp(join(root, 'bundle'), join(folder, 'bundle'), { recursive: true });
  for (const name of ['node_modules', 'src', 'package.json'])
    await symlink(join(root, name), join(folder, name));
  return folder;
}

test('a service serves on while npm replaces its package, and answers 503 where it needs a new thread', async () => {
  const folder = await installed();
  const service = await startService({ main: join(folder, 'bundle/src/cli.js') });
  onTestFinished(() => service.stop());
  const api = createApi(service.url);
  const { id } = (await api.post<Terminal>('/api/terminals', { command: ['cat'] })).body;
  const screenshot = async () => (await api.get(`/api/terminals/${id}/screenshot`)).status;
  await rename(join(folder, 'bundle'), join(folder, 'aside'));
  expect(await Promise.all([screenshot(), screenshot()])).toEqual([503, 503]);
  expect((await api.get('/health')).status).toBe(200);
  await rename(join(folder, 'aside'), join(folder, 'bundle'));
  expect(await screenshot()).toBe(200);
});
