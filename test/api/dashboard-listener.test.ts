import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ServiceFacts } from '#dist/contract/service-facts.js';
import type { ProcessList } from '#dist/contract/system.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { startAppInProcess } from '../support/app.js';
import { JSON_TYPE, startWithDashboard, type WithDashboard } from '../support/dashboard.js';
import { elsewhere, patch } from '../support/exposed.js';
import { freePort } from '../support/free-port.js';
import { createApi, watch } from '../support/http.js';
import { type Service, startService } from '../support/service.js';
import { takenPort } from '../support/taken-port.js';

/** Whether a server accepts connections at this origin. */
async function isOpen(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return outcome;
}

describe('what is typed by way of the dashboard', () => {
  let service: WithDashboard;
  beforeAll(async () => {
    service = await startWithDashboard();
  });
  afterAll(() => service?.stop());

  async function sourceOf(id: string): Promise<string | null | undefined> {
    const { body } = await service.api.get<ProcessList>('/api/processes');
    return body.processes.find((process) => process.id === id)?.lastInputSource;
  }

  test('counts as typed by a person, unless the tool server says otherwise', async () => {
    const page = createApi(service.url);
    const { body } = await page.post<Terminal>('/api/terminals', { command: ['cat'] });
    expect(body.mode).toBe('ui');
    await page.post(`/api/terminals/${body.id}/input`, { data: 'x' });
    expect(await sourceOf(body.id)).toBe('user');
    await service.api.post(`/api/terminals/${body.id}/input`, { data: 'x' });
    expect(await sourceOf(body.id)).toBe('api');
    await page.post('/api/terminals/batch/input', { terminalIds: [body.id], data: 'x' });
    expect(await sourceOf(body.id)).toBe('user');
    const mcp = createApi(service.url, { headers: { 'x-auto-terminal-client': 'mcp' } });
    await mcp.post(`/api/terminals/${body.id}/input`, { data: 'x' });
    expect(await sourceOf(body.id)).toBe('mcp');
    const socket = await watch(service.url);
    const payload = { action: 'terminal:input', terminalId: body.id, data: 'x' };
    socket.send({ id: 'typed', type: 'command', payload });
    await socket.until(() => socket.frames.some(({ id, success }) => id === 'typed' && success === true));
    expect(await sourceOf(body.id)).toBe('user');
    await socket.close();
  });
});

describe('the settings', () => {
  let service: WithDashboard;
  beforeEach(async () => {
    service = await startWithDashboard();
    onTestFinished(() => service.stop());
  });

  /** Changes the dashboard's settings; resolves with the port in the answer. */
  async function portOf(change: object, through = service.app.url): Promise<number> {
    const { status, text } = await patch(through, { dashboard: change });
    expect(status).toBe(200);
    return (JSON.parse(text!) as { dashboard: { port: number } }).dashboard.port;
  }

  test('turn it off and on, and move it', async () => {
    const first = service.url;
    const free = await freePort();
    expect(await portOf({ port: free })).toBe(free);
    expect(service.url).toBe(`http://127.0.0.1:${free}`);
    expect([await isOpen(first), await isOpen(service.url)]).toEqual([false, true]);
    const moved = service.url;
    await portOf({ enabled: false });
    expect([service.app.dashboardUrl, await isOpen(moved)]).toEqual([undefined, false]);
    expect((await service.api.raw({ path: '/', headers: { accept: 'text/html' } })).status).toBe(404);
    await portOf({ enabled: true });
    expect([service.url, await isOpen(moved)]).toEqual([moved, true]);
    expect((await service.raw({ path: '/' })).status).toBe(200);
  });

  test('turned off by its own page: the page gets its answer, and everything of it ends', async () => {
    const { url } = service;
    const stream = await watch(url);
    const ended = once(stream.socket, 'close');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const page = createApi(url, { agent, unchecked: true });
    const body = JSON.stringify({ dashboard: { enabled: false } });
    const headers = { ...JSON_TYPE, origin: url };
    expect((await page.raw({ method: 'PATCH', path: '/api/settings', headers, body })).status).toBe(200);
    await ended;
    // The page's request uses the same connection.
    expect((await page.raw({ path: '/api/terminals' })).status).toBe(404);
    expect((await service.api.get('/api/terminals')).status).toBe(200);
  });

  test('a taken port changes nothing', async () => {
    const { url } = service;
    const taken = await takenPort();
    const free = await freePort();
    const change = { network: { port: free }, dashboard: { port: taken } };
    const { status, text } = await patch(service.app.url, change);
    expect([status, JSON.parse(text!)]).toEqual([409, expect.objectContaining({ code: 'port-taken' })]);
    expect([service.url, await isOpen(url), await isOpen(service.app.url)]).toEqual([url, true, true]);
    expect(await isOpen(`http://127.0.0.1:${free}`)).toBe(false);
    await portOf({ enabled: false });
    const again = await patch(service.app.url, { dashboard: { enabled: true, port: taken } });
    expect([again.status, service.app.dashboardUrl]).toEqual([409, undefined]);
  });

  test('that the API needs its port is a wrong setting', async () => {
    const port = Number(new URL(service.app.url).port);
    await patch(service.app.url, { network: { port: await freePort() } });
    const now = Number(new URL(service.app.url).port);
    expect(now).not.toBe(port);
    expect((await patch(service.app.url, { dashboard: { port: now } })).status).toBe(400);
  });

  test('expose it, and take it back: connections of other machines end', async () => {
    const remote = elsewhere(service.url);
    expect(await isOpen(remote)).toBe(false);
    const { text } = await patch(service.app.url, {});
    expect(text).toContain('authToken');
    const { body } = await service.api.get<{ network: { authToken: string } }>('/api/settings?reveal=true');
    const token = body.network.authToken;
    await patch(service.app.url, { network: { expose: true } });
    expect(await isOpen(remote)).toBe(true);
    const socket = new WebSocket(`${remote.replace('http', 'ws')}/ws?token=${token}`);
    await once(socket, 'open');
    const ended = once(socket, 'close');
    await patch(service.app.url, { network: { expose: false } }, token);
    await ended;
    expect([await isOpen(remote), await isOpen(service.url)]).toEqual([false, true]);
  });
});

test('without a built dashboard nothing listens, and nothing says so', async () => {
  const { app, stop } = await startAppInProcess({}, { dashboardFolder: '/nowhere' });
  onTestFinished(stop);
  expect(app.dashboardUrl).toBeUndefined();
  const { status } = await patch(app.url, { dashboard: { port: await freePort() } });
  expect([status, app.dashboardUrl]).toEqual([200, undefined]);
  expect((await fetch(app.url, { headers: { accept: 'text/html' } })).status).toBe(404);
});

describe('the service as a process', () => {
  const factsOf = async ({ home }: Service) =>
    JSON.parse(await readFile(join(home, 'data/run/service.json'), 'utf8')) as ServiceFacts;

  test('says where the dashboard is, and frees its port at its end', async () => {
    const service = await startService();
    onTestFinished(() => service.stop());
    const { url, dashboardUrl } = service;
    expect(dashboardUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await factsOf(service)).dashboard).toBe(dashboardUrl);
    expect(await (await fetch(dashboardUrl!)).text()).toContain('<title>');
    const stream = await watch(dashboardUrl!);
    const ended = once(stream.socket, 'close');
    const port = await freePort();
    const written = () => factsOf(service).then(({ dashboard }) => dashboard);
    await patch(url, { dashboard: { port } });
    await expect.poll(written).toBe(`http://127.0.0.1:${port}`);
    await patch(url, { dashboard: { enabled: false } });
    await expect.poll(written).toBeNull();
    await ended;
    await patch(url, { dashboard: { enabled: true } });
    await expect.poll(written).toBe(`http://127.0.0.1:${port}`);
    const last = await watch(`http://127.0.0.1:${port}`);
    const closed = once(last.socket, 'close');
    expect(await service.kill('SIGTERM')).toBe(0);
    expect((await closed)[0]).toBe(1001);
    expect(await isOpen(`http://127.0.0.1:${port}`)).toBe(false);
  });

  test('says nothing of it while it is off', async () => {
    const service = await startService();
    onTestFinished(() => service.stop());
    await patch(service.url, { dashboard: { enabled: false } });
    await service.kill('SIGTERM');
    const next = await startService({ home: service.home });
    onTestFinished(() => next.stop());
    expect([next.dashboardUrl, (await factsOf(next)).dashboard]).toEqual([undefined, null]);
  });

  test('hands it over to the next service', async () => {
    const first = await startService();
    const port = new URL(first.dashboardUrl!).port;
    const { socket } = await watch(first.dashboardUrl!);
    const closed = once(socket, 'close');
    await first.kill('SIGUSR2');
    expect((await closed)[0]).toBe(1012);
    const next = await startService({ home: first.home, args: ['--dashboard-port', port] });
    onTestFinished(() => next.stop());
    expect(next.dashboardUrl).toBe(first.dashboardUrl);
  });

  test('does not start if its port is taken, and names the flag', async () => {
    const taken = await takenPort();
    await expect(startService({ args: ['--dashboard-port', String(taken)] })).rejects.toThrow(
      /--dashboard-port/,
    );
  });
});
