import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CLI } from '../support/cli.js';
import { failed } from '../support/failed.js';
import { createApi } from '../support/http.js';
import { eventually, findHost, hostPidOf, processInfo, sidecarPidOf } from '../support/processes.js';
import { startService } from '../support/service.js';

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: clients are notified, terminals closed, nothing is left',
    async (signal) => {
      const service = await startService();
      const { body } = await createApi(service.url).post<{ pid: number }>('/api/terminals', {
        command: ['sh', '-c', "trap '' HUP; exec sleep 1000"],
      });
      const host = hostPidOf(service.home);
      const client = new WebSocket(`${service.url.replace('http', 'ws')}/ws`);
      await once(client, 'open');
      const closed = once(client, 'close');
      const code = await service.kill(signal);
      expect(code).toBe(0);
      expect((await closed)[0]).toBe(1001);
      await eventually('host and shell are gone', () => !processInfo(host) && !processInfo(body.pid));
      rmSync(service.home, { recursive: true });
    },
  );
});

describe('stopping while it starts', () => {
  /** Starts the service, and sends it a signal as soon as `isTime`. Resolves with how it ended. */
  async function stopOnce(home: string, args: string[], isTime: (pid: number) => boolean) {
    const ports = ['--port', '0', '--mcp-port', '0', '--dashboard-port', '0'];
    const env = { ...process.env, HOME: home, AUTO_TERMINAL_HOME: home };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(process.execPath, [CLI, ...ports, ...args], { env, stdio: [...stdio] });
    const output = Promise.all([text(child.stdout!), text(child.stderr!)]);
    const ended = once(child, 'exit');
    await eventually('it has begun', () => isTime(child.pid!));
    child.kill('SIGTERM');
    const [code, signal] = await ended;
    const [, log] = await output;
    return { code, signal, log };
  }

  it('ends with 0 and leaves no pty host, from its first process on', async () => {
    const home = mkdtempSync(join(tmpdir(), 'at-early-'));
    const { log, ...end } = await stopOnce(home, ['--no-mcp'], () => findHost(home) !== undefined);
    expect([end, findHost(home)]).toEqual([{ code: 0, signal: null }, undefined]);
    expect(log).not.toMatch(/"level":(40|50|60)/);
    rmSync(home, { recursive: true });
  });

  it('does not wait for its tool server, and leaves none', async () => {
    const home = mkdtempSync(join(tmpdir(), 'at-early-'));
    let sidecar: number | undefined;
    const { log, ...end } = await stopOnce(home, [], (pid) => {
      sidecar = sidecarPidOf(pid);
      return sidecar !== undefined;
    });
    expect([end, findHost(home), processInfo(sidecar!)]).toEqual([
      { code: 0, signal: null },
      undefined,
      undefined,
    ]);
    expect(log).not.toMatch(/"level":(40|50|60)/);
    rmSync(home, { recursive: true });
  });
});

describe('stopping with a request half sent', () => {
  it('does not wait for the rest', async () => {
    const service = await startService();
    const { hostname, port, host } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/terminals HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    // An answer on another connection: by now the service has seen the first request.
    await createApi(service.url).get('/health');
    expect(await service.kill('SIGTERM')).toBe(0);
    rmSync(service.home, { recursive: true });
  });
});

describe('stopping with long polls', () => {
  it('answers them, and waits for none', async () => {
    const service = await startService({ env: { SHELL: '/bin/sh' } });
    const api = createApi(service.url);
    const keyed = createApi(service.url, { headers: { 'idempotency-key': 'k' } });
    const { body } = await api.post<{ id: string }>('/api/terminals', {
      command: ['cat'],
      labels: { role: 'cat' },
    });
    const waits = Array.from({ length: 50 }, () =>
      api.post(`/api/terminals/${body.id}/wait`, { until: 'text', text: 'never', timeoutMs: 3_600_000 }),
    );
    const run = { terminalIds: [body.id], command: 'x', idleMs: 3_600_000, timeoutMs: 3_600_000 };
    waits.push(keyed.post('/api/terminals/batch/run', run));
    const everywhere = { selector: 'role=cat', machines: 'all', until: ['exited'], timeoutMs: 3_600_000 };
    waits.push(api.post('/api/terminals/wait', everywhere));
    // The command runs in a terminal of its own, whose end the request awaits even without a client.
    const executed = api.post('/api/fleet/execute', { command: 'sleep 1000', timeoutMs: 3_600_000 });
    const areWaiting = async () => {
      const metrics = await api.get<string>('/metrics');
      return /^auto_terminal_waits 53$/m.test(metrics.body);
    };
    await eventually('all of them wait', areWaiting);
    expect(await service.kill('SIGTERM')).toBe(0);
    for (const { status, body } of await Promise.all(waits)) {
      expect([status, body]).toEqual([503, failed('Service is shutting down')]);
    }
    // The command's terminal is gone.
    expect((await executed).body).toEqual(failed());
    rmSync(service.home, { recursive: true });
  });
});

describe('starting', () => {
  it('names the port that another instance has, and the instance', async () => {
    const first = await startService();
    const { body } = await createApi(first.url).get<{ instanceId: string }>('/health');
    const port = new URL(first.url).port;
    await expect(startService({ args: ['--port', port] })).rejects.toThrow(
      `port ${port} is taken by another instance of auto-terminal (${body.instanceId})`,
    );
    await first.stop();
  });

  it('says that the port is taken by the service of the same home', async () => {
    const first = await startService();
    const second = startService({ home: first.home, args: ['--port', new URL(first.url).port] });
    await expect(second).rejects.toThrow(
      / It is yours: `auto-terminal status` shows it, and `auto-terminal stop` ends it$/m,
    );
    await first.stop();
  });

  it('names the port that another program has', async () => {
    const other = createServer((_request, response) => response.end('not a service')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(startService({ args: ['--port', String(port)] })).rejects.toThrow(
      `port ${port} is taken by another program`,
    );
    other.close();
  });

  it('refuses a state folder that another service has, and leaves that service alone', async () => {
    const first = await startService();
    const second = startService({ home: first.home });
    await expect(second).rejects.toThrow(/serves another service .*`auto-terminal stop` ends it/);
    expect((await createApi(first.url).post('/api/terminals', { command: ['true'] })).status).toBe(200);
    await first.stop();
  });

  it('keeps its state private to its owner', async () => {
    const service = await startService();
    for (const path of ['config', 'data', 'data/run']) {
      expect(statSync(join(service.home, path)).mode & 0o777).toBe(0o700);
    }
    expect(statSync(join(service.home, 'data/run/pty-host.sock')).mode & 0o777).toBe(0o600);
    await service.stop();
  });

  it('finds a short place for its socket if the state folder is deep', async () => {
    const home = mkdtempSync(join(tmpdir(), `at-${'deep-'.repeat(20)}`));
    const service = await startService({ home });
    expect((await createApi(service.url).post('/api/terminals', { command: ['true'] })).status).toBe(200);
    await service.stop();
  });
});

describe('a pty host that is killed', () => {
  it('ends its terminals; the service reports it and goes on with another', async () => {
    const service = await startService();
    const api = createApi(service.url);
    const { body } = await api.post<{ id: string }>('/api/terminals', { command: ['cat'] });
    const client = new WebSocket(`${service.url.replace('http', 'ws')}/ws?events=lifecycle`);
    const kinds: string[] = [];
    const welcome = once(client, 'message');
    client.on('message', (message) => kinds.push(JSON.parse(String(message)).event?.type));
    await welcome;
    process.kill(hostPidOf(service.home), 'SIGKILL');
    await eventually('the end is told', () => kinds.includes('terminal.exited'));
    expect((await api.get(`/api/terminals/${body.id}`)).body).toMatchObject({
      status: 'exited',
      reason: 'host-lost',
    });
    expect((await api.get('/api/terminals')).body).toMatchObject({ terminals: [] });
    expect(kinds).not.toContain('terminal.removed');
    const { body: next } = await api.post<{ id: string }>('/api/terminals', {
      command: ['sh', '-c', 'echo again; exec cat'],
    });
    await eventually(
      'the new one is streamed',
      () => kinds.lastIndexOf('output.data') > kinds.lastIndexOf('terminal.created'),
    );
    expect((await api.get<{ raw: string }>(`/api/terminals/${next.id}/output`)).body.raw).toBe('again');
    client.terminate();
    await service.stop();
  });
});
