import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SWEEP } from '../support/run-folder.js';

it('the end of a test run ends its processes and removes its folder, and touches no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'swept-'));
  const sleep = (env: object) =>
    spawn('sleep', ['600'], { env: { ...process.env, ...env }, stdio: 'ignore' });
  const left = sleep({ TMPDIR: folder });
  const other = sleep({});
  const leftEnded = once(left, 'exit');
  const sweeper = spawn(SWEEP, [folder], { stdio: ['pipe', 'ignore', 'pipe'] });
  let told = '';
  sweeper.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  const swept = once(sweeper, 'close');

  sweeper.stdin.end();
  await swept;
  expect(await leftEnded).toEqual([null, 'SIGKILL']);
  expect(told).toContain(`left process ${left.pid} behind`);
  expect(existsSync(folder)).toBe(false);
  expect(other.exitCode ?? other.signalCode).toBeNull();
  other.kill('SIGKILL');
});
