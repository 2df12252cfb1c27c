import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LeaseState } from '#dist/contract/input-gate.js';
import { CLI } from '../support/cli.js';
import { environmentFor, verbsAt } from '../support/command.js';
import { type Watcher, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { within } from '../support/service.js';
import { useService } from '../support/use-service.js';
import { ask } from '../support/ws-ask.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
const { run, out, json, create } = verbsAt(() => used.service.home);

let id: string;
beforeEach(async () => {
  id = await create('--', 'cat');
});

let person: Watcher;
beforeAll(async () => {
  person = await watch(used.service.url, 'origin=user&output=0');
});
afterAll(() => person?.close());

const state = async () => (await used.api.get<LeaseState>(`/api/terminals/${id}/lease`)).body;

/** The arguments `--` and a Node program that ends once the file exists. */
const untilFile = (file: string) => [
  ...['--', process.execPath, '-e'],
  `setInterval(() => require('fs').existsSync(${JSON.stringify(file)}) && process.exit(0), 20)`,
];

test('a lease is taken, shown, renewed and released, and a refused verb says who is in the way', async () => {
  const leaseId = (await out('lease', 'acquire', id, '--ttl', '60', '--reason', 'mends the build')).trim();
  expect(leaseId).toMatch(/^lease_[0-9a-f]{32}$/);
  const shown = await out('lease', 'show', id);
  expect(shown).toMatch(/^holder +a program \(pid \d+\)$/m);
  expect(shown).toMatch(/^reason +mends the build$/m);
  expect(shown).not.toContain(leaseId);

  const refused = await run('keys', id, 'enter');
  expect(refused.code).toBe(5);
  expect(refused.stderr).toMatch(/In the way: a program \(pid \d+\); worth another try in \d+ s\n/);
  const asJson = await run('lease', 'acquire', id, '-o', 'json');
  expect(JSON.parse(asJson.stderr)).toMatchObject({
    ...{ code: 'locked', holder: { kind: 'service' }, draft: false, retryAfterMs: expect.any(Number) },
  });
  await out('send', id, 'yes', '--enter', '--lease', leaseId);

  const { expiresAt } = await state();
  const renewed = await json<{ leaseId: string; expiresAt: number }>(
    'lease',
    'renew',
    id,
    leaseId,
    '--ttl',
    '600',
  );
  expect(renewed.leaseId).toBe(leaseId);
  expect(renewed.expiresAt).toBeGreaterThan(expiresAt!);
  await out('lease', 'release', id, leaseId);
  expect(await out('lease', 'show', id)).toBe('holder   nobody\n');
  const again = await run('lease', 'release', id, leaseId);
  expect([again.code, again.stderr]).toEqual([
    5,
    expect.stringMatching(/^auto-terminal: There is no such lease, or it has ended\n.*lease acquire TARGET/),
  ]);
});

test('hold keeps the lease for as long as a command runs, renews it, and ends as the command does', async () => {
  const file = join(used.service.home, 'done');
  const held = run('lease', 'hold', '--ttl', '5', id, ...untilFile(file));
  await eventually('it is held', async () => (await state()).holder !== null);
  const { expiresAt, fence } = await state();
  // The lease outlasts its own time to live.
  await eventually('it is renewed', async () => (await state()).expiresAt! > expiresAt! + 5_000);
  expect((await state()).fence).toBe(fence);
  expect((await run('keys', id, 'enter')).code).toBe(5);
  writeFileSync(file, '');
  expect(await held).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await state()).holder).toBeNull();

  // The program uses the lease by the variable.
  const typed = `node ${CLI} send ${id} yes --enter --lease "$AUTO_TERMINAL_LEASE" && exit 7`;
  expect(await run('lease', 'hold', id, '--', 'sh', '-c', typed)).toEqual({
    code: 7,
    stdout: '',
    stderr: '',
  });
  await out('wait', id, '--until', 'text', '--text', 'yes', '--timeout', '20');
  expect((await run('lease', 'hold', id, '--', '/no/such/program')).code).toBe(127);
  expect((await run('lease', 'hold', id, '--', 'sh', '-c', 'kill -9 $$')).code).toBe(137);
  expect((await run('lease', 'hold', id, '--ttl', '5', '--', 'true')).stderr).toContain(
    'lease hold --ttl ...',
  );
  expect((await state()).holder).toBeNull();
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('hold gives the lease back on %s', async (signal, code) => {
  const file = join(used.service.home, `runs-${signal}`);
  const command = ['sh', '-c', `: > ${file}; exec sleep 1000`];
  const args = [CLI, 'lease', 'hold', '--ttl', '600', id, '--', ...command];
  const child = spawn(process.execPath, args, { env: environmentFor(used.service.home), stdio: 'ignore' });
  try {
    // Before the command runs, a signal ends `lease hold` like any program.
    await eventually('its command runs', () => existsSync(file));
    expect((await state()).holder).not.toBeNull();
    const ended = once(child, 'exit');
    child.kill(signal);
    await within(20_000, ended, () => 'it does not end');
    expect(child.exitCode).toBe(code);
    expect((await state()).holder).toBeNull();
  } finally {
    child.kill('SIGKILL');
  }
});

test('hold gives the lease back when it is killed', async () => {
  const args = [CLI, 'lease', 'hold', '--ttl', '600', id, '--', 'sleep', '10'];
  const child = spawn(process.execPath, args, { env: environmentFor(used.service.home), stdio: 'ignore' });
  await eventually('it is held', async () => (await state()).holder !== null);
  child.kill('SIGKILL');
  await eventually('it has ended', async () => (await state()).holder === null);
});

test('hold says that a person has ended its lease, and lets the command go on', async () => {
  const file = join(used.service.home, 'person');
  const held = run('lease', 'hold', '--ttl', '600', id, ...untilFile(file));
  await eventually('it is held', async () => (await state()).holder !== null);
  const payload = { action: 'terminal:input', terminalId: id, data: 'x' };
  await ask(person, { id: 'm1', type: 'command', payload });
  expect((await state()).holder).toBeNull();
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, '');
  expect(await held).toMatchObject({ code: 5, stderr: expect.stringContaining('ended before the command') });
});

test('exec and batch run type under a lease, and are refused without it', async () => {
  const shell = await create();
  const leaseId = (await out('lease', 'acquire', shell)).trim();
  expect(await run('exec', '--lease', leaseId, shell, '--', 'echo one')).toMatchObject({
    code: 0,
    stdout: 'one\n',
  });
  const refused = await run('exec', shell, '--', 'echo two');
  expect([refused.code, refused.stderr]).toEqual([125, expect.stringContaining('busy')]);
  const many = await run('batch', 'run', '--target', shell, '--lease', leaseId, '--', '(exit 3)');
  expect(many.code).toBe(3);
});

test.each([
  [['--ttl', '9999'], '--ttl', 'at most 600'],
  [['--ttl', '0'], '--ttl', 'at most 600'],
  [['--wait', '9999'], '--wait', 'at most 3600'],
])(
  '%j is refused before anything is asked for or run, by the name of the option',
  async (args, option, most) => {
    const file = join(used.service.home, 'never');
    for (const inner of [
      ['hold', ...args, id, '--', 'touch', file],
      ['acquire', ...args, id],
    ]) {
      const refused = await run('lease', ...inner);
      expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(option) });
      expect(refused.stderr).toContain(most);
      expect(refused.stderr).toContain('auto-terminal lease');
    }
    expect(existsSync(file)).toBe(false);
    expect((await state()).holder).toBe(null);
  },
);
