import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceFacts } from '#dist/contract/service-facts.js';
import { command } from '../support/command.js';
import { eventually } from '../support/processes.js';
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

test('commands that start the service at the same time all get the one that comes up', async () => {
  const env = { AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' };
  const all = await Promise.all(
    ['a', 'b', 'c'].map((name) => command(home, ['new', '-n', name, '--', 'cat'], { env })),
  );
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
  const listed = await command(home, ['ls', '-q']);
  expect(listed.stdout.trim().split('\n').sort()).toEqual(all.map(({ stdout }) => stdout.trim()).sort());
});

test('a service that cannot start is told at once, with its reason', async () => {
  const env = {
    AUTO_TERMINAL_PORT: String(await takenPort()),
    MCP_PORT: '0',
    AUTO_TERMINAL_DASHBOARD_PORT: '0',
  };
  const { code, stdout, stderr } = await command(home, ['new'], { env });
  expect([code, stdout]).toEqual([7, '']);
  expect(stderr).toMatch(/did not start: .*port/i);
});

test('nothing is started if that is turned off', async () => {
  const { code, stderr } = await command(home, ['new'], { env: { AUTO_TERMINAL_NO_AUTOSTART: '1' } });
  expect([code, stderr]).toEqual([7, expect.stringContaining('auto-terminal serve')]);
  expect(existsSync(join(home, 'data'))).toBe(false);
});
