import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { ask, elsewhere, OTHER_ADDRESS, patch, upgrade } from '../support/exposed.js';
import { failed } from '../support/failed.js';
import { createApi, watch } from '../support/http.js';
import { eventually, openFiles } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The token of a service that is not exposed. */
async function tokenOf(url: string): Promise<string> {
  const { text } = await ask(url, '/api/settings?reveal=true');
  return (JSON.parse(text!) as { network: { authToken: string } }).network.authToken;
}

describe('authentication', () => {
  it('default mode: bound only to 127.0.0.1, and any Authorization header is ignored', async () => {
    expect((await ask(elsewhere(service.url), '/health')).status).toBeUndefined();
    expect((await ask(service.url, '/api/terminals', 'wrong')).status).toBe(200);
    expect(await upgrade(`${service.url}/ws?token=wrong`)).toBe('open');
  });

  it('exposing and going back: gate, token, rotation, other addresses', async () => {
    const own = await startService();
    const { url } = own;
    const remote = elsewhere(url);
    const token = await tokenOf(url);
    const local = await watch(url);

    expect((await patch(url, { network: { expose: true } })).status).toBe(200);

    // REST needs the bearer token; without it, the answer is the text `unauthorized`.
    const refused = await ask(url, '/api/terminals');
    expect([refused.status, JSON.parse(refused.text!)]).toEqual([401, failed('unauthorized')]);
    expect((await ask(url, '/api/terminals', `${token}0`)).status).toBe(401);
    expect((await ask(url, '/api/terminals', token)).status).toBe(200);
    expect((await ask(remote, '/api/terminals', token)).status).toBe(200);
    expect((await ask(remote, '/api/terminals')).status).toBe(401);

    // The WebSocket takes the token from the query of the upgrade.
    expect(await upgrade(`${url}/ws`)).toBe(401);
    expect(await upgrade(`${remote}/api/ws?token=wrong`)).toBe(401);
    expect(await upgrade(`${remote}/ws?token=${token}`)).toBe('open');

    // Health is open.
    for (const path of ['/health', '/api/health']) expect((await ask(remote, path)).status).toBe(200);

    // The legacy token is no credential.
    const minted = await ask(url, '/api/auth/token', token, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(minted.status).toBe(200);
    expect(
      (await ask(url, '/api/terminals', (JSON.parse(minted.text!) as { token: string }).token)).status,
    ).toBe(401);

    // A rotated token counts from the next request on, and open connections survive.
    const rotated = await ask(remote, '/api/settings/token/rotate', token, { method: 'POST' });
    const { authToken: next } = JSON.parse(rotated.text!) as { authToken: string };
    expect((await ask(url, '/api/terminals', token)).status).toBe(401);
    expect((await ask(url, '/api/terminals', next)).status).toBe(200);
    expect(await upgrade(`${url}/ws?token=${token}`)).toBe(401);
    const created = await ask(url, '/api/terminals', next, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ command: ['echo', 'still here'] }),
    });
    await local.untilOutput((JSON.parse(created.text!) as { id: string }).id, 'still here');

    // Back to default mode: other addresses are disconnected, and no token is required.
    const far = new WebSocket(`${remote.replace('http', 'ws')}/ws?token=${next}`);
    await once(far, 'message');
    const cut = once(far, 'close');
    // The agent has one connection: `fetch` has several, and chooses unpredictably among them.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const requesting = createApi(remote, { agent, unchecked: true });
    const change = {
      ...{ method: 'PATCH', path: '/api/settings', body: '{"network":{"expose":false}}' },
      headers: { 'content-type': 'application/json', authorization: `Bearer ${next}` },
    };
    expect((await requesting.raw(change)).status).toBe(200);
    if (OTHER_ADDRESS !== '127.0.0.2') await cut;
    far.terminate();
    // The connection that requested the change got its answer, and gets nothing more.
    expect((await requesting.raw({ path: '/health' })).status).toBe(403);
    const fresh = createApi(remote, { unchecked: true }).raw({ path: '/health' });
    await expect(fresh).rejects.toThrow('ECONNREFUSED');
    expect((await ask(url, '/api/terminals')).status).toBe(200);
    expect(local.socket.readyState).toBe(WebSocket.OPEN);
    await local.close();
    await own.stop();
  });

  it.skipIf(OTHER_ADDRESS === '127.0.0.2')(
    'a client that does not read is disconnected, too, though the requesting client has left',
    async () => {
      const own = await startService();
      const token = await tokenOf(own.url);
      await patch(own.url, { network: { expose: true } });
      const far = new WebSocket(`${elsewhere(own.url).replace('http', 'ws')}/ws?token=${token}`);
      await once(far, 'message');
      far.pause();
      const cut = new Promise((resolve) => far.on('error', () => {}).once('close', resolve));
      const flood = { command: ['sh', '-c', 'seq 1 3000000; exec cat'] };
      const created = await ask(own.url, '/api/terminals', token, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(flood),
      });
      const { id } = JSON.parse(created.text!) as { id: string };
      const { port, hostname } = new URL(own.url);
      const asking = connect(Number(port), hostname);
      const body = '{"network":{"expose":false}}';
      asking.write(
        `PATCH /api/settings HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        () => asking.resetAndDestroy(),
      );
      const isOpen = async () => (await ask(own.url, '/api/terminals')).status === 200;
      await eventually('the token is not asked for any more', isOpen);
      const payload = { action: 'terminal:input', terminalId: id, data: 'typed from afar' };
      far.send(JSON.stringify({ id: '1', type: 'command', payload }));
      far.resume();
      await cut;
      expect((await ask(own.url, `/api/terminals/${id}/output`)).text).not.toContain('typed from afar');
      await own.stop();
    },
  );

  it('a path that is no URL is guarded, and its connection closed', async () => {
    const before = openFiles(service.pid);
    const evil = () =>
      new Promise<void>((resolve) => {
        const url = `${service.url.replace('http', 'ws')}/%zz`;
        const socket = new WebSocket(url, { origin: 'http://evil.example' });
        socket.on('error', () => {}).once('close', () => resolve());
      });
    await Promise.all(Array.from({ length: 20 }, evil));
    await eventually('their connections are closed', () => openFiles(service.pid) <= before + 2);
    const headers = { origin: 'http://evil.example' };
    const { status } = await createApi(service.url).raw({ path: '/%zz', headers });
    expect(status).toBe(403);
  });

  it('every route but health requires the token, unknown ones too', async () => {
    const { paths } = JSON.parse((await ask(service.url, '/openapi.json')).text!) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const authToken = await tokenOf(service.url);
    await patch(service.url, { network: { expose: true } });
    try {
      const open: string[] = [];
      for (const [path, methods] of [
        ...Object.entries(paths),
        ['/nowhere', { get: {} }],
        ['/docs', { get: {} }],
        ['/docs/static/swagger-ui.css', { get: {} }],
        ['/%zz', { get: {}, options: {} }],
      ] as const) {
        for (const method of Object.keys(methods)) {
          const { status } = await ask(service.url, path.replace(/\{\w+\}/g, 'x'), undefined, {
            method: method.toUpperCase(),
          });
          if (status !== 401) open.push(`${method} ${path} ${status}`);
        }
      }
      expect(open).toEqual(['get /health 200', 'get /api/health 200']);
    } finally {
      await patch(service.url, { network: { expose: false } }, authToken);
    }
  });

  it('exposed by the config file: the first request needs the token', async () => {
    const home = await mkdtemp(join(tmpdir(), 'at-exposed-'));
    await mkdir(join(home, 'config'));
    await writeFile(join(home, 'config', 'config.json'), JSON.stringify({ network: { expose: true } }));
    const own = await startService({ home });
    expect((await ask(elsewhere(own.url), '/api/terminals')).status).toBe(401);
    expect((await ask(elsewhere(own.url), '/health')).status).toBe(200);
    await own.stop();
  });
});
