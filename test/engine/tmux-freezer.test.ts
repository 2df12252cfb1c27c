import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/processes.js';

const FREEZER = fileURLToPath(import.meta.resolve('#dist/workers/pty-host/tmux/freezer.js'));

/** Returns the state letter from /proc; T is a stopped process. */
function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2)[0]!;
}

test('a stopped process resumes though its freezer is killed', async () => {
  const held = spawn('sleep', ['1000']);
  onTestFinished(() => void held.kill('SIGKILL'));
  const script = `
    import { Freezer } from ${JSON.stringify(FREEZER)};
    new Freezer({ pid: () => ${held.pid}, log: console.error }).freeze();
    setInterval(() => {}, 1000);
  `;
  const freezer = spawn(process.execPath, ['--input-type=module', '-e', script]);
  await eventually('it is stopped', () => stateOf(held.pid!) === 'T');
  freezer.kill('SIGKILL');
  await eventually('it goes on', () => stateOf(held.pid!) !== 'T');
  expect(held.exitCode).toBe(null);
});
