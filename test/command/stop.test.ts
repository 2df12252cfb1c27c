import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceFacts } from '#dist/contract/service-facts.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { command } from '../support/command.js';
import { freePort } from '../support/free-port.js';
import { createApi } from '../support/http.js';
import { eventually, hostPidOf, processInfo } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
const factsFile = () => join(service.home, 'data/run/service.json');
const facts = () => JSON.parse(readFileSync(factsFile(), 'utf8')) as ServiceFacts;

beforeEach(async () => {
  service = await startService();
});
afterEach(async () => {
  const pid = existsSync(factsFile()) ? facts().pid : undefined;
  // A verb has started another service.
  if (pid !== undefined && pid !== service.pid) {
    process.kill(pid, 'SIGTERM');
    await eventually('the other service has ended', () => !existsSync(factsFile()));
  }
  // Terminals that a verb has left running end with the next service.
  if (pid === undefined) service = await startService({ home: service.home });
  await service.stop();
});

const verb = (...args: string[]) => command(service.home, args);

async function create(): Promise<{ id: string; pid: number }> {
  return (await createApi(service.url).post<Terminal>('/api/terminals', { command: ['cat'] })).body;
}

test('stop ends the service and closes its terminals', async () => {
  const { pid } = await create();
  expect(await verb('stop')).toEqual({
    ...{ code: 0, stdout: '' },
    stderr: 'auto-terminal: the service has stopped; 1 terminal closed\n',
  });
  expect([existsSync(factsFile()), processInfo(service.pid)?.state ?? 'Z']).toEqual([false, 'Z']);
  await eventually('the program has ended', () => processInfo(pid) === undefined);
});

test('stop does not say that terminals are closed which a stuck pty host still holds', async () => {
  await create();
  const host = hostPidOf(service.home);
  process.kill(host, 'SIGSTOP');
  try {
    const { code, stderr } = await verb('stop');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`pty host (process ${host}) has not`)]);
  } finally {
    process.kill(host, 'SIGCONT');
    await eventually('the host has ended', () => processInfo(host) === undefined);
  }
});

test('stop --keep leaves the terminals running, and the next start finds them', async () => {
  const [first, second] = [await create(), await create()];
  const { code, stderr } = await verb('stop', '--keep');
  expect([code, stderr]).toEqual([0, expect.stringContaining('2 terminals left running')]);
  expect([first.pid, second.pid].map((pid) => processInfo(pid) !== undefined)).toEqual([true, true]);
  service = await startService({ home: service.home });
  expect((await verb('ls', '-q')).stdout.trim().split('\n').sort()).toEqual([first.id, second.id].sort());
});

test('restart starts the service again, with its terminals and its arguments', async () => {
  const { id, pid } = await create();
  const before = facts();
  const { code, stderr } = await verb('restart');
  expect([code, stderr]).toEqual([0, expect.stringContaining('the service runs again, with 1 terminal\n')]);
  const after = facts();
  expect(after).toMatchObject({ args: before.args });
  expect(after.instanceId).not.toBe(before.instanceId);
  expect(before.args.length).toBeGreaterThan(0);
  expect((await verb('ls', '-q')).stdout.trim()).toBe(id);
  expect(processInfo(pid)).toBeDefined();
});

test('restart does not bring back a port and --no-mcp that were replaced while the service ran', async () => {
  const { args } = facts();
  expect(args).toEqual(expect.arrayContaining(['--port', '--no-mcp']));
  const port = await freePort();
  // The tool server has a free port, too: another service of this machine may have the usual one.
  const settings = { network: { port }, mcp: { enabled: true, port: await freePort() } };
  expect((await createApi(service.url).patch('/api/settings', settings)).status).toBe(200);
  const moved = `http://127.0.0.1:${port}`;
  await eventually('the facts are written', () => facts().url === moved && facts().mcp !== null);
  expect(await verb('restart')).toMatchObject({ code: 0 });
  await eventually('the facts are written again', () => facts().mcp !== null);
  expect(facts().url).toBe(moved);
});

test('both refuse a service elsewhere, and say that none runs', async () => {
  for (const name of ['stop', 'restart']) {
    expect(await verb(name, '--url', service.url)).toMatchObject({ code: 2 });
    expect(await command(join(service.home, 'other'), [name])).toMatchObject({ code: 7 });
  }
  expect(processInfo(service.pid)).toBeDefined();
});
