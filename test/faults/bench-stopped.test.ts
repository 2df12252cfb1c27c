import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { within } from '../support/service.js';

const RUN = createRequire(import.meta.url).resolve('../../dist/bench/run.js');
const DEADLINE_MS = 250_000;

let folder: string;
let bench: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'at-test-'));
});

afterEach(async () => {
  bench?.kill('SIGKILL');
  for (const pid of processesOfRun()) process.kill(pid, 'SIGKILL');
  await rm(folder, { recursive: true, maxRetries: 5 });
});

/** Processes of the bench: each has a temporary folder in this test's folder. */
function processesOfRun(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(`TMPDIR=${folder}`))
    .map(Number);
}

/** Returns the environment of a process; empty if the process has ended or belongs to another user. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** Starts the bench in a process group of its own and outside of the test run, as a shell does. */
function startBench(...args: string[]) {
  const env = { ...process.env, TMPDIR: folder, AUTO_TERMINAL_TEST_RUN: undefined };
  const child = spawn(process.execPath, [RUN, '--results', join(folder, 'results'), ...args], {
    ...{ env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] },
  });
  bench = child;
  const text = { stdout: '', stderr: '' };
  const exited = once(child, 'exit') as Promise<[number | null]>;
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const shows = (progress: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => progress.test(text.stderr) && resolve();
      child.stderr.on('data', look);
      exited.then(() => reject(new Error(`the bench ended: ${text.stderr}`)));
    });
  const until = (progress: RegExp) => within(DEADLINE_MS, shows(progress), () => text.stderr);
  const code = async () => (await within(DEADLINE_MS, exited, () => `it goes on: ${text.stderr}`))[0];
  return { pid: child.pid!, text, until, code };
}

describe('the bench', () => {
  it.each([
    // Ctrl+C reaches the service, too, and each of the bench's own helpers.
    { how: 'Ctrl+C', kill: (pid: number) => process.kill(-pid, 'SIGINT'), exitCode: 130 },
    { how: 'kill', kill: (pid: number) => process.kill(pid, 'SIGTERM'), exitCode: 143 },
  ])('stopped by $how keeps what was finished, and leaves nothing else', async ({ kill, exitCode }) => {
    const { pid, text, until, code } = startBench('--only', 'batch,idle', '--rounds', '1', '--scale', '0.01');
    await until(/\[2\/2\] idle: ours/);
    expect(processesOfRun().length).toBeGreaterThan(2);
    kill(pid);
    expect(await code()).toBe(exitCode);
    expect(text.stderr).toMatch(/\[2\/2\] idle: stopped/);
    expect(text.stdout).toMatch(/^batch: .*\nthe machine meanwhile: .*\n.*\nbatch execute to 10 terminals/);
    expect(readFileSync(join(folder, 'results/batch.txt'), 'utf8')).toBe(text.stdout);
    expect(processesOfRun()).toEqual([]);
    expect(readdirSync(folder)).toEqual(['results']);
  });

  it('measures commands on another machine', async () => {
    const { text, code } = startBench('--only', 'routed', '--rounds', '1', '--scale', '0.002');
    expect(await code(), text.stderr).toBe(0);
    expect(text.stdout).toMatch(/^execute, routed: p50 +[\d.]+ ms/m);
    expect(processesOfRun()).toEqual([]);
  });

  it('refuses an unknown case with the names that exist', async () => {
    const { text, code } = startBench('--only', 'fluud');
    expect(await code()).toBe(2);
    expect(text).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^unknown case fluud; the cases are flood, .*\n$/),
    });
  });

  it('shows its cases', async () => {
    const { text, code } = startBench('--help');
    expect(await code()).toBe(0);
    expect(text).toEqual({ stdout: expect.stringMatching(/^ {2}batch {2,}one line/m), stderr: '' });
  });
});
