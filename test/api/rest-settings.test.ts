import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, patch } from '../support/exposed.js';
import { failed } from '../support/failed.js';
import { freePort } from '../support/free-port.js';
import { type Api, createApi, type Failure, watch } from '../support/http.js';
import { type Service, startService } from '../support/service.js';
import { takenPort } from '../support/taken-port.js';

interface Settings {
  network: { expose: boolean; port: number; authToken: string; allowedOrigins: string[] };
  terminals: { scrollback: number };
  restartRequired: string[];
}

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service.stop());

async function settings(reveal = false): Promise<Settings> {
  return (await api.get<Settings>(`/api/settings${reveal ? '?reveal=true' : ''}`)).body;
}

describe('GET /api/settings', () => {
  it('returns every section with its defaults', async () => {
    const { status, body } = await api.get('/api/settings');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      network: { expose: false, allowedOrigins: [] },
      // MCP is off because the tests start the service without it.
      mcp: { enabled: false, port: 0, sessionIdleMs: 3_600_000 },
      dashboard: { enabled: true },
      terminals: { backend: 'pty', scrollback: 1000, keepExitedMs: 600_000, orphanMs: 86_400_000 },
      search: { index: true, maxBytes: 2 ** 30 },
      recordings: { keepDays: 0, maxBytes: 0 },
      cliTypes: { agent_a: { submit: '\r', submitDelayMs: 150 } },
      agents: {},
      restartRequired: [],
    });
  });

  it('masks the token unless asked to reveal it: 64 hex characters', async () => {
    const { authToken } = (await settings(true)).network;
    expect(authToken).toMatch(/^[0-9a-f]{64}$/);
    expect((await settings()).network.authToken).toBe(`${'*'.repeat(60)}${authToken.slice(-4)}`);
    expect((await api.get('/api/settings?reveal=maybe')).status).toBe(400);
  });

  it('the config file is private to its owner', async () => {
    expect((await stat(join(service.home, 'config', 'config.json'))).mode & 0o777).toBe(0o600);
  });
});

describe('PATCH /api/settings', () => {
  it('merges, and names settings that wait for a restart', async () => {
    const { status, text } = await patch(service.url, { terminals: { scrollback: 500 } });
    expect({ status, body: JSON.parse(text!) }).toMatchObject({
      status: 200,
      body: { terminals: { scrollback: 500, backend: 'pty' }, restartRequired: ['terminals.scrollback'] },
    });
    expect((await patch(service.url, { terminals: { scrollback: null } })).status).toBe(200);
    expect((await settings()).restartRequired).toEqual([]);
  });

  it.each([
    [{ netwerk: {} }, 'netwerk'],
    [{ network: { prot: 1 } }, 'prot'],
    [{ cliTypes: { x: { submit: '\r', delay: 1 } } }, 'delay'],
    [{ network: { port: 80 } }, 'network[port]'],
    [{ terminals: { shards: 0 } }, 'terminals[shards]'],
    [{ terminals: { backend: 'screen' } }, 'terminals[backend]'],
    [{ cliTypes: { custom: { submit: 'x' } } }, 'cliTypes.custom'],
    [{ network: { authToken: 'ab'.repeat(32) } }, 'network.authToken'],
    [[], 'body'],
  ])('%j is a 400 that names the fault', async (change, name) => {
    const before = await settings(true);
    const { status, text } = await patch(service.url, change);
    expect(status).toBe(400);
    expect((JSON.parse(text!) as Failure).error).toContain(name);
    expect(await settings(true)).toEqual(before);
  });

  it('accepts an answer of GET', async () => {
    const file = () => readFile(join(service.home, 'config', 'config.json'), 'utf8');
    const before = await file();
    const { restartRequired: _, ...answer } = await settings();
    expect(answer.network.port).toBe(Number(new URL(service.url).port));
    expect((await patch(service.url, answer)).status).toBe(200);
    expect(await file()).toBe(before);
  });

  it('sets a value that holds now, and that was edited in the file since', async () => {
    const path = join(service.home, 'config', 'config.json');
    const file = async () => JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...(await file()), terminals: { nice: 3, keepExitedMs: 1 } }));
    const { text } = await patch(service.url, { terminals: { keepExitedMs: 600_000 } });
    expect(JSON.parse(text!)).toMatchObject({ terminals: { nice: 3, keepExitedMs: 600_000 } });
    expect(await file()).toMatchObject({ terminals: { nice: 3, keepExitedMs: 600_000 } });
    await patch(service.url, { terminals: null });
  });

  it.each(['[{"mine": 1}]', 'null'])('leaves a file alone that has become %s', async (text) => {
    const path = join(service.home, 'config', 'config.json');
    const before = await readFile(path);
    await writeFile(path, text);
    expect((await patch(service.url, { search: { index: false } })).status).toBe(409);
    expect(await readFile(path, 'utf8')).toBe(text);
    await writeFile(path, before);
  });

  it('takes effect at once: a CLI type', async () => {
    const { id } = (await api.post<{ id: string }>('/api/terminals', { command: ['cat'] })).body;
    const prompt = { prompt: 'x', cliType: 'mine' };
    expect((await api.post(`/api/terminals/${id}/execute`, prompt)).status).toBe(400);
    await patch(service.url, { cliTypes: { mine: { submit: '\n' } } });
    expect((await api.post(`/api/terminals/${id}/execute`, prompt)).status).toBe(200);
    await patch(service.url, { cliTypes: { mine: null } });
    expect((await api.post(`/api/terminals/${id}/execute`, prompt)).status).toBe(400);
  });
});

describe('the port', () => {
  it('moves at once; open connections go on', async () => {
    const own = await startService();
    const watcher = await watch(own.url);
    const port = await freePort();
    const before = own.url;
    expect((await patch(own.url, { network: { port } })).status).toBe(200);
    const moved = createApi(`http://127.0.0.1:${port}`);
    const { id } = (await moved.post<{ id: string }>('/api/terminals', { command: ['echo', 'hello'] })).body;
    await watcher.untilOutput(id, 'hello');
    // The old port refuses a new connection; an open connection is still served.
    await expect(createApi(before).raw({ path: '/health' })).rejects.toThrow('ECONNREFUSED');
    const shell = (
      await moved.post<{ id: string }>('/api/terminals', {
        command: ['sh', '-c', 'echo $AUTO_TERMINAL_API_URL'],
      })
    ).body;
    await watcher.untilOutput(shell.id, moved.url);
    await watcher.close();
    await own.stop();
  });

  it('that is taken is a 409 that names its owner, and all stays as it was', async () => {
    const port = await takenPort();
    const { status, text } = await patch(service.url, { network: { port } });
    expect([status, JSON.parse(text!)]).toEqual([409, failed(`port ${port} is taken by another program`)]);
    const own = Number(new URL(service.url).port);
    expect((await settings()).network.port).not.toBe(port);
    expect((await ask(`http://127.0.0.1:${own}`, '/health')).status).toBe(200);
  });
});
