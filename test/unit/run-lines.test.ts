import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RunLines } from '#dist/actors/runs/run-lines.js';
import { MAX_CLAIMS } from '#dist/contract/limits.js';

let root: string;
let lines: RunLines;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'at-lines-'));
  lines = new RunLines((id) => join(root, id));
});
afterEach(() => rm(root, { recursive: true }));

const line = () => readFile(join(root, 'one', 'line'), 'utf8');

/** Takes the line as a shell does. */
const take = (runId: string) => writeFile(join(root, 'one', runId), '', { flag: 'wx' });

test('a shell finds the last line that was written', async () => {
  await lines.write('one', 'run-1', 'true');
  await lines.write('one', 'run-2', 'false\ntrue');
  expect(await line()).toBe('run-2\nfalse\ntrue');
});

test('of the shell and the service the first decides', async () => {
  await lines.write('one', 'run-1', 'true');
  await take('run-1');
  expect(lines.giveUp('one', 'run-1')).toBe(false);
  expect(lines.isTaken('one', 'run-1')).toBe(true);

  await lines.write('one', 'run-2', 'true');
  expect(lines.isTaken('one', 'run-2')).toBe(false);
  expect(lines.giveUp('one', 'run-2')).toBe(true);
  await expect(take('run-2')).rejects.toThrow('EEXIST');
  expect(lines.isTaken('one', 'run-2')).toBe(false);
});

test('a folder that was removed is made again', async () => {
  await lines.write('one', 'run-1', 'true');
  await rm(join(root, 'one'), { recursive: true });
  await lines.write('one', 'run-2', 'true');
  expect(await line()).toBe('run-2\ntrue');
  await lines.forget('one');
  expect(lines.giveUp('one', 'run-3')).toBe(true);
});

test('there are never more claims than MAX_CLAIMS, also of an earlier service', async () => {
  for (let count = 0; count < MAX_CLAIMS + 5; count++) {
    if (count === 500) lines = new RunLines((id) => join(root, id));
    await lines.write('one', `run-${count}`, 'true');
    await take(`run-${count}`);
    if (count >= MAX_CLAIMS - 2)
      expect((await readdir(join(root, 'one'))).length).toBeLessThanOrEqual(MAX_CLAIMS + 1);
  }
  expect(await readdir(join(root, 'one'))).toHaveLength(6);
});
