import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ServiceFile } from '../../src/app/service-file.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-service-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function create(path: string) {
  const warnings: string[] = [];
  let url = 'http://127.0.0.1:1';
  const logger = { warn: (_: object, text: string) => warnings.push(text) } as unknown as Logger;
  const rest = { pid: 1, args: [], mcp: null, dashboard: null, socket: null, version: '1', instanceId: 'i' };
  const file = new ServiceFile({ path, facts: () => ({ ...rest, url }), logger });
  const move = (to: string) => {
    url = to;
  };
  return { file, warnings, move };
}

it('holds the newest facts, readable for its owner alone, and leaves no draft', async () => {
  const path = join(folder, 'service.json');
  const { file, move } = create(path);
  const first = file.write();
  move('http://127.0.0.1:2');
  await Promise.all([first, file.write()]);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: 1, url: 'http://127.0.0.1:2' });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['service.json']);
});

it('is not written again once it is removed', async () => {
  const { file } = create(join(folder, 'service.json'));
  await Promise.all([file.write(), file.remove(), file.write()]);
  expect(await readdir(folder)).toEqual([]);
});

it('does not leave the facts of an earlier service if it cannot be written', async () => {
  const path = join(folder, 'service.json');
  await writeFile(path, '{}');
  // A folder with a file in it takes the place of the draft.
  await mkdir(join(`${path}.new`, 'full'), { recursive: true });
  const { file, warnings } = create(path);
  await file.write();
  expect(warnings).toEqual([expect.stringContaining('cannot be written')]);
  expect(await readdir(folder)).toEqual(['service.json.new']);
});

it('that cannot be removed is logged, and holds up no stop', async () => {
  const path = join(folder, 'service.json');
  // A folder in its place cannot be removed as a file.
  await mkdir(path);
  const { file, warnings } = create(path);
  await file.remove();
  expect(warnings).toEqual([`${path} cannot be removed: it names a service that has ended`]);
});
