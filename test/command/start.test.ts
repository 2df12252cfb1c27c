import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceFacts } from '#dist/contract/service-facts.js';
import { CLI } from '../support/cli.js';
import { command, environmentFor } from '../support/command.js';
import { eventually, processInfo } from '../support/processes.js';
import { startService } from '../support/service.js';
import { takenPort } from '../support/taken-port.js';

let home: string;
const facts = () => join(home, 'data/run/service.json');

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'at-start-'));
});
afterEach(async () => {
  if (existsSync(facts())) {
    const { pid } = JSON.parse(readFileSync(facts(), 'utf8')) as ServiceFacts;
    process.kill(pid, 'SIGTERM');
    await eventually('the service has stopped', () => !existsSync(facts()));
  }
  await eventually('nothing writes there any more', () =>
    rm(home, { recursive: true }).then(
      () => true,
      () => false,
    ),
  );
});

test('new starts the service where none runs, and it outlives the command', async () => {
  const env = { AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' };
  const created = await command(home, ['new', '--', 'cat'], { env });
  expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining('service.log') });
  const listed = await command(home, ['ls', '-q']);
  expect(listed).toEqual({ code: 0, stdout: created.stdout, stderr: '' });
});

test('a command after a kill of the service takes its terminals over, and leaves them running', async () => {
  const env = { AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' };
  const first = await command(home, ['new', '-q', '--', 'cat'], { env });
  const { pid } = JSON.parse(readFileSync(facts(), 'utf8')) as ServiceFacts;
  process.kill(pid, 'SIGKILL');
  await eventually('the service has ended', () => processInfo(pid) === undefined);
  const second = await command(home, ['new', '-q', '--', 'cat'], { env });
  expect(second.code).toBe(0);
  const listed = await command(home, ['ls', '-q']);
  expect(listed.stdout.trim().split('\n').sort()).toEqual(
    [first, second].map(({ stdout }) => stdout.trim()).sort(),
  );
  expect(readFileSync(join(home, 'data/service.log'), 'utf8')).not.toContain('"stopping"');
});

test('a relative folder of the user is meant from where the command runs', async () => {
  const env = {
    ...environmentFor(home),
    ...{ AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' },
    AUTO_TERMINAL_HOME: basename(home),
  };
  const starting = spawn(process.execPath, [CLI, 'new', '-q', '--', 'cat'], {
    ...{ env, cwd: dirname(home), stdio: 'ignore' },
  });
  expect(await once(starting, 'exit')).toEqual([0, null]);
  expect(existsSync(facts())).toBe(true);
});

test.runIf(existsSync('/dev/full'))('a service lives on while the disk of its log is full', async () => {
  const env = { AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' };
  const serving = spawn(process.execPath, [CLI, 'serve'], {
    env: { ...environmentFor(home), ...env, AUTO_TERMINAL_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'ignore', openSync('/dev/full', 'w')],
  });
  await eventually('the service has started', () => existsSync(facts()));
  expect(await command(home, ['new', '--', 'cat'])).toMatchObject({ code: 0 });
  serving.kill();
  expect(await once(serving, 'exit')).toEqual([0, null]);
});

test('a start sets a long log aside', async () => {
  const env = { AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' };
  const log = join(home, 'data/service.log');
  mkdirSync(join(home, 'data'), { mode: 0o700 });
  writeFileSync(log, 'x'.repeat(10 * 1024 * 1024 + 1));
  expect(await command(home, ['new', '--', 'cat'], { env })).toMatchObject({ code: 0 });
  expect(statSync(`${log}.old`).size).toBe(10 * 1024 * 1024 + 1);
  expect(readFileSync(log, 'utf8')).toMatch(/^\{"level"/);
});

test('commands that start the service at the same time all get the one that comes up', async () => {
  const env = { AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' };
  const all = await Promise.all(
    ['a', 'b', 'c'].map((name) => command(home, ['new', '-n', name, '--', 'cat'], { env })),
  );
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
  const listed = await command(home, ['ls', '-q']);
  expect(listed.stdout.trim().split('\n').sort()).toEqual(all.map(({ stdout }) => stdout.trim()).sort());
});

test('a command beside a service that is starting waits for that one, and starts none', async () => {
  const env = { AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' };
  const serving = spawn(process.execPath, [CLI, 'serve'], {
    env: { ...environmentFor(home), ...env },
    stdio: 'ignore',
  });
  await eventually('the service has begun its start', () => existsSync(join(home, 'data/starting')));
  expect(await command(home, ['new', '--', 'cat'], { env })).toMatchObject({ code: 0 });
  expect((JSON.parse(readFileSync(facts(), 'utf8')) as ServiceFacts).pid).toBe(serving.pid);
  expect(existsSync(join(home, 'data/service.log'))).toBe(false);
  expect(existsSync(join(home, 'data/starting'))).toBe(false);
  serving.kill();
  await once(serving, 'exit');
});

test('a service that a command has started for nothing is ended', async () => {
  // Holds the started service before its first line of code, as a slow machine does.
  const hold = join(home, 'hold.cjs');
  const held = join(home, 'held');
  writeFileSync(
    hold,
    `if (!process.argv.includes('new')) {
      require('node:fs').writeFileSync(${JSON.stringify(held)}, String(process.pid));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }`,
  );
  const created = command(home, ['new', '--', 'cat'], { env: { NODE_OPTIONS: `--require ${hold}` } });
  await eventually('the command has started a service', () => existsSync(held) && statSync(held).size > 0);
  const own = await startService({ home });
  expect(await created).toMatchObject({ code: 0 });
  expect((JSON.parse(readFileSync(facts(), 'utf8')) as ServiceFacts).pid).toBe(own.pid);
  const pid = Number(readFileSync(held, 'utf8'));
  await eventually('that service is gone', () => processInfo(pid) === undefined);
  await own.kill('SIGTERM');
});

test('a service that cannot start is told at once, with its reason', async () => {
  const env = {
    AUTO_TERMINAL_PORT: String(await takenPort()),
    MCP_PORT: '0',
    AUTO_TERMINAL_DASHBOARD_PORT: '0',
  };
  const { code, stdout, stderr } = await command(home, ['new'], { env });
  expect([code, stdout]).toEqual([7, '']);
  expect(stderr).toMatch(/did not start: port \d+ is taken/);
});

test('a service that ends by a fault is told in words, without its line of the log', async () => {
  const env = { AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' };
  // The lock of the store cannot be written.
  mkdirSync(join(home, 'data/store/lock.mdb'), { recursive: true });
  const { code, stderr } = await command(home, ['new'], { env });
  expect(code).toBe(7);
  expect(stderr).toMatch(/did not start: EISDIR: [^{]*lock\.mdb'\nLook into .*service\.log\n$/);
});

test('nothing is started if that is turned off', async () => {
  const { code, stderr } = await command(home, ['new'], { env: { AUTO_TERMINAL_NO_AUTOSTART: '1' } });
  expect([code, stderr]).toEqual([7, expect.stringContaining('auto-terminal serve')]);
  expect(existsSync(join(home, 'data'))).toBe(false);
});
