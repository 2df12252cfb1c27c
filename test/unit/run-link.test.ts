import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { preparePaths, resolvePaths } from '#dist/config/paths.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-link-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (path: string) => (await lstat(path)).mode & 0o777;

describe('the sockets of a home that is too deep for a socket', () => {
  const deepIn = (tmp: string) => {
    const env = { AUTO_TERMINAL_HOME: join(folder, 'x'.repeat(90)) };
    return resolvePaths({ env, platform: 'linux', tmpFolder: join(folder, tmp) });
  };

  test('stay where the first start has put them, whatever the temporary folder', async () => {
    const first = deepIn('a');
    await preparePaths(first);
    expect(deepIn('b').hostSocket).toBe(first.hostSocket);
    await preparePaths(deepIn('b'));
    // The next start of the machine has emptied the temporary folder.
    await rm(join(folder, 'a'), { recursive: true });
    await preparePaths(deepIn('b'));
    expect(await modeOf(first.runFolder)).toBe(0o700);
    expect(deepIn('b').hostSocket).toBe(first.hostSocket);
  });

  test('are never two, though two services start at once', async () => {
    const starts = [deepIn('a'), deepIn('b')];
    const outcomes = await Promise.allSettled(starts.map(preparePaths));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(deepIn('a').hostSocket).toBe(deepIn('b').hostSocket);
  });
});
