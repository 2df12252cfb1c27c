import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ServiceFile } from '../../src/app/service-file.js';

it('that cannot be removed is logged, and holds up no stop', async () => {
  const path = await mkdtemp(join(tmpdir(), 'at-service-file-'));
  onTestFinished(() => rm(path, { recursive: true }));
  const lines: string[] = [];
  const logger = { warn: (_fields: object, message: string) => lines.push(message) } as never;
  // A folder in its place cannot be removed as a file.
  await new ServiceFile({ path, facts: () => ({}) as never, logger }).remove();
  expect(lines).toEqual([`${path} cannot be removed: it names a service that has ended`]);
});
