import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../support/command.js';
import { connected, type FleetMachine, online, startMachine } from '../support/fleet.js';
import { eventually } from '../support/processes.js';

let hub: FleetMachine;
let laptop: FleetMachine;

beforeAll(async () => {
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
});
afterAll(() => Promise.all([hub, laptop].map((each) => each?.service.stop())));

async function run({ service }: FleetMachine, ...args: string[]) {
  return command(service.home, ['fleet', ...args]);
}

async function out(machine: FleetMachine, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(machine, ...args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stderr}`);
  return stdout;
}

test('a fleet is made, joined, used and left by the command line', async () => {
  expect(await out(laptop)).toMatch(/^role +none\nlink +off\n$/);
  expect(await out(laptop, 'status')).toBe(await out(laptop));
  expect(await run(laptop, 'invite')).toMatchObject({ code: 5 });
  hub.id = (await out(hub, 'init', '--address', '127.0.0.1', '-o', 'ids')).trim();
  await connected(hub);
  const code = (await out(hub, 'invite', '--as', 'lap', '--give', 'observe', '-q')).trim();
  const joined = run(laptop, 'join', code);
  const request = await eventually('a request', async () => {
    const rows = JSON.parse(await out(hub, 'requests', '-o', 'json')) as {
      requests: { id: string; words: string }[];
    };
    return rows.requests[0];
  });
  await out(hub, 'approve', request.id);
  const { code: exitCode, stdout, stderr } = await joined;
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining(request.words)]);
  expect(stdout).toMatch(/^machine +m_\w{12}\nhub +m_\w{12}\n$/);
  laptop.id = /m_\w{12}/.exec(stdout)![0];
  await online(hub, laptop.id);
  expect(await out(hub, 'machines')).toContain(`${laptop.id}\tlap\tlinux\tonline`);
  expect(await out(hub, 'grants', '-q')).toMatch(/^grant_\w+\n$/);

  const labels = { role: 'named' };
  const { id } = (await laptop.api.post<{ id: string }>('/api/terminals', { labels })).body;
  const right = (await out(laptop, 'grant', hub.id, 'observe,execute', '-q')).trim();
  expect(await out(hub, 'run', 'role=named', '--', 'echo ran')).toMatch(new RegExp(`${id}\t0\tran\n$`));
  const ran = await hub.api.post('/api/fleet/execute', { terminalId: id, command: 'true' });
  expect(ran.body).toMatchObject({ machineId: laptop.id, deviceName: 'lap', exitCode: 0 });
  await out(laptop, 'revoke', right);
  await out(laptop, 'grant', hub.id, 'observe');
  const refused = { code: 4, stderr: `auto-terminal: lap (${laptop.id}) ${id}: not-granted\n` };
  expect(await run(hub, 'run', 'role=named', '--', 'true')).toMatchObject(refused);
  for (const verb of [
    ['run', 'role=none', '--', 'true'],
    ['wait', 'role=none'],
  ])
    expect(await run(hub, ...verb)).toMatchObject({ code: 3, stderr: expect.stringContaining('role=none') });

  const grant = (
    await out(hub, 'grant', 'lap', 'observe,type', '-l', 'role=test', '--for', '60', '-q')
  ).trim();
  expect(await out(hub, 'grants')).toContain(`${grant}\t${laptop.id}\tobserve,type\trole=test\t20`);
  await out(hub, 'revoke', grant);
  expect(await run(hub, 'revoke', grant)).toMatchObject({ code: 3 });
  expect(await run(hub, 'grant', 'nobody', 'observe')).toMatchObject({ code: 3 });
  expect(await run(hub, 'grant', 'lap', 'rule')).toMatchObject({ code: 2 });
  await out(hub, 'remove', 'lap');
  expect(await out(hub, 'machines', '-q')).toBe('self\n');
  await out(laptop, 'leave');
});

test('what a grant asks for is listed, approved and in the audit', async () => {
  await hub.api.patch('/api/settings', { audit: { enabled: true } });
  const code = (await out(hub, 'invite', '--as', 'lap', '--yes', '-q')).trim();
  await out(laptop, 'join', code);
  await online(hub, laptop.id);
  await online(laptop, hub.id);
  expect(await out(hub, 'grant', 'lap', 'observe', '--ask', 'always', '-o', 'json')).toContain('"always"');
  const listed = laptop.api.get(`/api/machines/${hub.id}/terminals`);
  const id = await eventually(
    'a request',
    async () => (await out(hub, 'requests', '-q')).trim() || undefined,
  );
  expect(await out(hub, 'requests')).toContain('GET /api/terminals');
  expect(await out(hub, 'approve', id)).toContain(laptop.id);
  expect((await listed).status).toBe(200);
  await laptop.api.delete(`/api/machines/${hub.id}/terminals/term_000000000000`);
  expect(await out(hub, 'audit', 'lap')).toContain('"code":"not-granted"');
  expect(await run(hub, 'audit', 'nobody')).toMatchObject({ code: 3 });
  expect(await out(laptop, 'machines')).toContain('observe');
  const grantBack = ['grant', hub.id, 'observe,execute', '-l', 'role=test'];
  await out(laptop, ...grantBack);
  for (const { api } of [hub, laptop]) await api.post('/api/terminals', { labels: { role: 'test' } });
  const ran = await run(hub, 'run', 'role=test', '--', 'echo', 'both of them');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect(ran.stdout).toMatch(/^self\tterm_\w+\t0\tboth of them\nm_\w+\tterm_\w+\t0\tboth of them\n$/m);
  expect(await run(hub, 'run', 'role=test', '--', '(exit 3)')).toMatchObject({ code: 1 });
  expect(await run(hub, 'wait', 'role=test', '-u', 'exited', '-t', '0')).toMatchObject({ code: 124 });
  await out(hub, 'remove', 'lap');
  await out(laptop, 'leave');
});

test('a hub refuses, and the command that joins says so', async () => {
  const code = (await out(hub, 'invite', '-q')).trim();
  const joined = run(laptop, 'join', code);
  const id = await eventually(
    'a request',
    async () => (await out(hub, 'requests', '-q')).trim() || undefined,
  );
  await out(hub, 'deny', id);
  expect(await joined).toMatchObject({ code: 4 });
});

test('without nats-server a line says what to install', async () => {
  await laptop.api.patch('/api/settings', { fleet: { serverPath: '/nowhere/nats-server' } });
  const { code, stderr } = await run(laptop, 'init');
  expect([code, stderr]).toEqual([1, expect.stringContaining('/nowhere/nats-server')]);
  expect(stderr).toContain('apt install nats-server');
  expect(await out(laptop)).toMatch(/^role +none\n/);
  await laptop.api.patch('/api/settings', { fleet: { serverPath: null } });
});
