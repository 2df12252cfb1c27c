import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { SettingsAnswer } from '#dist/contract/settings.js';
import { ask, patch } from '../support/exposed.js';
import { failed } from '../support/failed.js';
import { freePort } from '../support/free-port.js';
import { createApi } from '../support/http.js';
import { rpc, sessionOf } from '../support/mcp-raw.js';
import { processInfo, sidecarPidOf } from '../support/processes.js';
import { type Service, type StartOptions, startService } from '../support/service.js';
import { takenPort } from '../support/taken-port.js';

let service: Service | undefined;
afterEach(() => service?.stop());

async function start(options: StartOptions = {}): Promise<Service> {
  service = await startService({ mcp: true, ...options });
  return service;
}

async function settingsOf({ url }: Service): Promise<SettingsAnswer> {
  return (await createApi(url).get<SettingsAnswer>('/api/settings')).body;
}

/** Endpoint of the tool server, according to the settings. */
const endpointOf = async (of: Service) => `http://127.0.0.1:${(await settingsOf(of)).mcp.port}/mcp`;

/** Whether a server accepts a new connection at this URL. */
async function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const outcome = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return outcome.finally(() => socket.destroy());
}

/** Sends requests on one connection without waiting for answers; resolves once all are answered with 200. */
async function oneBehindTheOther(
  { url }: Service,
  requests: { method: string; path: string; body: object }[],
): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const texts = requests.map(({ method, path, body }, index) => {
    const json = JSON.stringify(body);
    const connection = index === requests.length - 1 ? 'close' : 'keep-alive';
    const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, `Connection: ${connection}`];
    head.push('Content-Type: application/json', `Content-Length: ${json.length}`);
    return `${head.join('\r\n')}\r\n\r\n${json}`;
  });
  socket.write(texts.join(''));
  const answers = await text(socket);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(requests.map(() => 'HTTP/1.1 200'));
}

async function metric({ url }: Service, name: string): Promise<number> {
  const { body } = await createApi(url).get<string>('/metrics');
  return Number(new RegExp(`^auto_terminal_${name} (\\d+)$`, 'm').exec(body)?.[1]);
}

describe('the tool server of a service', () => {
  it('listens at the address of ready line and settings; /health names its instance; /metrics shows that it is up', async () => {
    const running = await start();
    expect(await endpointOf(running)).toBe(running.mcpUrl);
    expect(await sessionOf(running.mcpUrl!)).toBeTypeOf('string');
    const { instanceId } = (await createApi(running.url).get<{ instanceId: string }>('/health')).body;
    const { text } = await ask(running.mcpUrl!.replace('/mcp', ''), '/health');
    expect(JSON.parse(text!)).toEqual({
      ...{ status: 'ok', app: 'auto-terminal-mcp', instanceId, version: '0.1.0' },
    });
    expect([await metric(running, 'mcp_up'), await metric(running, 'mcp_restarts_total')]).toEqual([1, 0]);
  });

  it('is off with --no-mcp, until a PATCH turns it on', async () => {
    const running = await start({ mcp: false });
    expect([running.mcpUrl, sidecarPidOf(running.pid), await metric(running, 'mcp_up')]).toEqual([
      undefined,
      undefined,
      0,
    ]);
    await patch(running.url, { terminals: { scrollback: 10 } });
    expect(sidecarPidOf(running.pid)).toBeUndefined();
    expect((await patch(running.url, { mcp: { enabled: true } })).status).toBe(200);
    expect(await sessionOf(await endpointOf(running))).toBeTypeOf('string');
  });
});

describe('PATCH of mcp', () => {
  it('enabled: false ends it before the answer, true starts another; neither waits for a restart', async () => {
    const running = await start();
    const pid = sidecarPidOf(running.pid)!;
    const off = await patch(running.url, { mcp: { enabled: false } });
    expect([off.status, JSON.parse(off.text!).restartRequired]).toEqual([200, []]);
    expect([processInfo(pid), await listens(running.mcpUrl!), await metric(running, 'mcp_up')]).toEqual([
      undefined,
      false,
      0,
    ]);
    const on = await patch(running.url, { mcp: { enabled: true } });
    expect(on.status).toBe(200);
    expect(await sessionOf(`http://127.0.0.1:${JSON.parse(on.text!).mcp.port}/mcp`)).toBeTypeOf('string');
  });

  it('port moves it; the process and its sessions stay', async () => {
    const running = await start();
    const pid = sidecarPidOf(running.pid);
    const session = await sessionOf(running.mcpUrl!);
    const port = await freePort();
    expect((await patch(running.url, { mcp: { port } })).status).toBe(200);
    expect(await listens(running.mcpUrl!)).toBe(false);
    const answer = await rpc(`http://127.0.0.1:${port}/mcp`, { method: 'ping' }, { session });
    expect([answer.status, answer.result]).toEqual([200, {}]);
    expect(sidecarPidOf(running.pid)).toBe(pid);
    expect((await settingsOf(running)).mcp.port).toBe(port);
  });

  it('port of another program: 409 that says so, and all is as before, including a move of the API in the same PATCH', async () => {
    const running = await start();
    const [port, apiPort] = [await takenPort(), await freePort()];
    const before = await settingsOf(running);
    const { status, text } = await patch(running.url, { network: { port: apiPort }, mcp: { port } });
    expect([status, JSON.parse(text!)]).toEqual([409, failed(`port ${port} is taken by another program`)]);
    expect(await settingsOf(running)).toEqual(before);
    expect(await sessionOf(running.mcpUrl!)).toBeTypeOf('string');
    expect(await listens(`http://127.0.0.1:${apiPort}`)).toBe(false);
  });

  it('port of another instance: 409 that names it', async () => {
    const running = await start();
    const other = await startService({ mcp: true });
    const { instanceId } = (await createApi(other.url).get<{ instanceId: string }>('/health')).body;
    const port = Number(new URL(other.mcpUrl!).port);
    const { status, text } = await patch(running.url, { mcp: { port } });
    await other.stop();
    expect([status, JSON.parse(text!).error]).toEqual([
      409,
      `port ${port} is taken by another instance of auto-terminal (${instanceId})`,
    ]);
  });

  it('port overrides flag and earlier settings, though the next change arrives while it takes effect', async () => {
    const [flagged, wanted] = [await freePort(), await freePort()];
    const running = await start({ args: ['--mcp-port', String(flagged)] });
    await oneBehindTheOther(running, [
      { method: 'PATCH', path: '/api/settings', body: { mcp: { port: wanted } } },
      { method: 'POST', path: '/api/settings/token/rotate', body: {} },
    ]);
    expect((await settingsOf(running)).mcp.port).toBe(wanted);
    // The port changes back: the second change must not be skipped, although its value still holds when it arrives.
    await oneBehindTheOther(running, [
      { method: 'PATCH', path: '/api/settings', body: { mcp: { port: flagged } } },
      { method: 'PATCH', path: '/api/settings', body: { mcp: { port: wanted } } },
    ]);
    expect((await settingsOf(running)).mcp.port).toBe(wanted);
    expect(await sessionOf(`http://127.0.0.1:${wanted}/mcp`)).toBeTypeOf('string');
  });

  it('sessionIdleMs is whole milliseconds, at least 1000', async () => {
    const running = await start({ mcp: false });
    for (const sessionIdleMs of [999, 2 ** 31, 1.5]) {
      const { status, text } = await patch(running.url, { mcp: { sessionIdleMs } });
      expect([status, JSON.parse(text!).error]).toEqual([400, expect.stringContaining('sessionIdleMs')]);
    }
    expect((await patch(running.url, { mcp: { sessionIdleMs: 1_000 } })).status).toBe(200);
  });
});

describe('a PATCH of settings that the tool server uses, too', () => {
  it("network.port: its calls go to the API's new port", async () => {
    const running = await start();
    const session = await sessionOf(running.mcpUrl!);
    const port = await freePort();
    await patch(running.url, { network: { port } });
    const message = { method: 'tools/call', params: { name: 'list_terminals', arguments: {} } };
    const { result } = await rpc(running.mcpUrl!, message, { session });
    expect(result).toMatchObject({ structuredContent: { terminals: [] } });
  });

  it('network.allowedOrigins and dashboard.port: pages that may ask', async () => {
    const running = await start();
    const port = await freePort();
    const origins = ['https://panel.example', `http://localhost:${port}`, 'https://other.example'];
    const statuses = () =>
      Promise.all(
        origins.map(async (origin) => {
          return (await rpc(running.mcpUrl!, { method: 'ping' }, { headers: { origin } })).status;
        }),
      );
    expect(await statuses()).toEqual([403, 403, 403]);
    await patch(running.url, { network: { allowedOrigins: [origins[0]] }, dashboard: { port } });
    const [panel, dashboard, other] = await statuses();
    expect([panel === 403, dashboard === 403, other]).toEqual([false, false, 403]);
    await patch(running.url, { dashboard: { enabled: false } });
    expect((await statuses())[1]).toBe(403);
  });
});
