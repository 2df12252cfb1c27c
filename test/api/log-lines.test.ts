import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_LOGGED_REFUSALS } from '#dist/contract/limits.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { VERSION } from '#dist/contract/version.js';
import { CLI } from '../support/cli.js';
import { ask, patch } from '../support/exposed.js';
import { type Api, createApi } from '../support/http.js';
import { eventually, hostPidOf } from '../support/processes.js';
import { runNode } from '../support/run-process.js';
import { type Service, startService } from '../support/service.js';

const SECRET = 'hunter2-of-the-log-test';

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service?.stop());

type Line = Record<string, unknown> & { msg: string };
const lines = (log = service.log()): Line[] =>
  log
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const linesOf = (terminal: string) => lines().filter((line) => line.terminal === terminal);
const refusals = (log?: string) => lines(log).filter(({ msg }) => msg === 'a client was refused');

const create = async (body: object) => (await api.post<Terminal>('/api/terminals', body)).body;

test('a line each for a create, an exit and a close, without command, environment or name', async () => {
  const command = ['sh', '-c', `: ${SECRET}; read x; exit 7`];
  const { id, pid } = await create({ command, env: { TOKEN: SECRET }, name: SECRET, labels: { a: SECRET } });
  expect(linesOf(id)).toMatchObject([
    { level: 30, msg: 'a terminal was created', programPid: pid, mode: 'api', backend: 'pty' },
  ]);
  // `pid` is the service's in each line.
  expect(new Set(lines().map((line) => line.pid))).toEqual(new Set([linesOf(id)[0]!.pid]));
  expect(linesOf(id)[0]!.pid).not.toBe(pid);
  expect(linesOf(id)[0]!.profile).toBe((await api.get<Terminal>(`/api/terminals/${id}`)).body.profile);
  expect(pid).toBeGreaterThan(0);
  await api.post(`/api/terminals/${id}/input`, { data: `${SECRET}\r` });
  await eventually('the exit is logged', () => linesOf(id).length === 2);
  expect(linesOf(id)[1]).toMatchObject({
    msg: 'the program of a terminal has ended',
    exitCode: 7,
    signal: null,
  });
  await api.delete(`/api/terminals/${id}`);
  await eventually('the close is logged', () => linesOf(id).length === 3);
  expect(linesOf(id)[2]).toMatchObject({ msg: 'a terminal was removed', reason: 'closed' });
  expect(service.log()).not.toContain(SECRET);
});

test('terminals that a start adopts are counted in a line, with the pty host and its start', async () => {
  expect(service.log()).not.toContain('adopted');
  const before = Date.now();
  const { id } = await create({ command: ['cat'] });
  const { id: gone } = await create({ command: ['true'] });
  await eventually('one has exited', () => linesOf(gone).length === 2);
  const { home } = service;
  const hostPid = hostPidOf(home);
  await service.kill('SIGKILL');
  service = await startService({ home });
  api = createApi(service.url);
  const adoptions = () => lines().filter(({ msg }) => msg === 'the terminals of the pty host were adopted');
  await eventually('the adoption is logged', () => adoptions().length > 0);
  const adopted = adoptions();
  expect(adopted).toMatchObject([{ level: 30, terminals: 1, exited: 1, hostPid, hostRelease: VERSION }]);
  const since = Date.parse(String(adopted[0]!.hostSince));
  expect(since).toBeLessThan(before);
  expect(since).toBeGreaterThan(before - 600_000);
  await api.delete(`/api/terminals/${id}`);
});

describe('a client that is refused', () => {
  const origin = 'http://evil.example';

  test('is logged with status, reason and address; a flood only up to the bound', async () => {
    for (let count = 0; count < MAX_LOGGED_REFUSALS + 5; count++) {
      const { status } = await ask(service.url, `/api/terminals?token=${SECRET}`, SECRET, {
        headers: { origin },
      });
      expect(status).toBe(403);
    }
    const refused = { status: 403, code: 'origin-not-allowed', address: '127.0.0.1' };
    // The log comes through a pipe, perhaps after the answers.
    await eventually('the refusals are logged', () => refusals().length === MAX_LOGGED_REFUSALS);
    expect(refusals()[0]).toMatchObject({ level: 40, reason: 'Origin is not allowed', ...refused });
    const { home } = service;
    await service.kill('SIGTERM');
    expect(lines().filter(({ msg }) => msg === 'more clients were refused')).toMatchObject([{ leftOut: 5 }]);
    expect(service.log()).not.toContain(SECRET);
    service = await startService({ home });
    api = createApi(service.url);
  });

  test('is logged for a wrong token, at the API and at the login of the dashboard, without the token', async () => {
    const settings = await ask(service.url, '/api/settings?reveal=true');
    const { authToken } = JSON.parse(settings.text!).network as { authToken: string };
    expect(authToken).toMatch(/^[0-9a-f]{64}$/);
    expect((await patch(service.url, { network: { expose: true } })).status).toBe(200);
    expect((await ask(service.url, `/api/terminals`, SECRET)).status).toBe(401);
    const login = await ask(service.dashboardUrl!, '/session', undefined, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ token: SECRET }),
    });
    expect(login.status).toBe(401);
    const unauthorized = { status: 401, code: 'unauthorized', address: '127.0.0.1' };
    await eventually('both are logged', () => refusals().length === 2);
    expect(refusals()).toMatchObject([unauthorized, unauthorized]);
    expect((await ask(service.url, '/api/terminals', authToken)).status).toBe(200);
    expect(refusals()).toHaveLength(2);
    for (const secret of [SECRET, authToken]) expect(service.log()).not.toContain(secret);
  });
});

describe('AUTO_TERMINAL_LOG_LEVEL', () => {
  const AUTO_TERMINAL_LOG_LEVEL = 'loud';

  test.each([
    ['auto-terminal', []],
    ['auto-terminal-mcp', ['mcp']],
  ])('that is none ends %s with one line that names the right ones', async (name, verb) => {
    const { code, stdout, stderr } = await runNode([CLI, ...verb], {
      env: { ...process.env, AUTO_TERMINAL_HOME: service.home, AUTO_TERMINAL_LOG_LEVEL },
    });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `${name}: AUTO_TERMINAL_LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent, not "loud"\n`,
    );
  });

  test('of warn leaves out the lines of terminals; an empty one counts as unset', async () => {
    const counts: Record<string, number> = {};
    for (const level of ['warn', '']) {
      const own = await startService({ env: { AUTO_TERMINAL_LOG_LEVEL: level } });
      await createApi(own.url).post('/api/terminals', { command: ['cat'] });
      counts[level] = lines(own.log()).filter(({ msg }) => msg === 'a terminal was created').length;
      await own.stop();
    }
    expect(counts).toEqual({ warn: 0, '': 1 });
  });
});
