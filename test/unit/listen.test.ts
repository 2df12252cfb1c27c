import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ensurePortIsFree, hostFor, Listener } from '#dist/gateway/listen.js';
import type { App } from '#dist/gateway/validation.js';
import { eventually } from '../support/processes.js';

async function listening(host: string): Promise<Listener & { app: App }> {
  const app = Fastify() as unknown as App;
  onTestFinished(async () => void (await app.close()));
  app.get('/', async () => 'here');
  const listener = new Listener(app, () => true);
  await listener.open({ port: 0, host });
  return Object.assign(listener, { app });
}

/** Resolves with the port of a server that answers `health`. */
async function portOf(health: unknown): Promise<number> {
  const server = createServer((_request, response) => response.end(JSON.stringify(health)));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const ID = '0b1f4ddc-4f4e-4d3b-9a6e-0a4d1de7a001';

describe('the origin for programs of this machine', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['127.0.0.2', '127.0.0.2'],
    ['::1', '[::1]'],
    ['localhost', 'localhost'],
  ])('of %s is that of %s, and is answered', async (host, name) => {
    const listener = await listening(host);
    expect(listener.url).toBe(`http://${name}:${listener.port}`);
    expect(listener.binding).toEqual({ port: listener.port, host });
    const answer = await fetch(listener.url, { headers: { connection: 'close' } });
    expect(await answer.text()).toBe('here');
  });
});

test('exposed is on all addresses, else on the loopback', () => {
  expect([hostFor(true), hostFor(false)]).toEqual(['0.0.0.0', '127.0.0.1']);
});

describe('a taken port names its owner', () => {
  const service = { status: 'ok', app: 'auto-terminal', version: '0.1.0' };
  const sidecar = { ...service, app: 'auto-terminal-mcp' };
  test.each([
    [{ ...service, instanceId: ID }, `another instance of auto-terminal (${ID})`],
    [{ ...sidecar, instanceId: ID }, `another instance of auto-terminal (${ID})`],
    [{ ...sidecar, instanceId: null }, 'another auto-terminal-mcp'],
    [{ ...service, instanceId: null }, 'another program'],
    [{ ...sidecar, instanceId: 'ok\n<b>' }, 'another program'],
    [{ ...service, app: 'other', instanceId: ID }, 'another program'],
    ['text', 'another program'],
    [null, 'another program'],
  ])('%j', async (health, owner) => {
    const port = await portOf(health);
    await expect(ensurePortIsFree({ port, host: '127.0.0.1' })).rejects.toThrow(
      `port ${port} is taken by ${owner}`,
    );
  });

  test('of a non-default address, too', async () => {
    const listener = await listening('::1');
    expect(isIPv6(listener.binding.host)).toBe(true);
    await expect(ensurePortIsFree(listener.binding)).rejects.toThrow('is taken by another program');
  });
});

test('an owner that releases its port in time is waited for', async () => {
  const before = createSocketServer().listen(0, '127.0.0.1');
  await once(before, 'listening');
  const { port } = before.address() as AddressInfo;
  const checked = ensurePortIsFree({ port, host: '127.0.0.1' }, 60_000).then(() => 'free');
  // Longer than several looks at the port: without patience, the check would have failed by then, or it fails below.
  expect(await Promise.race([checked, delay(300, 'still waits')])).toBe('still waits');
  before.close();
  expect(await checked).toBe('free');
});

describe('the name localhost', () => {
  /** Resolves with whether another server could have the port at the IPv6 loopback. */
  async function isFree(port: number): Promise<boolean> {
    const other = createSocketServer();
    const listens = await new Promise<boolean>((resolve) => {
      other.once('error', () => resolve(false)).listen({ host: '::1', port }, () => resolve(true));
    });
    if (listens) other.close();
    return listens;
  }

  test('leads to nobody else, wherever the server moves and until it stops', async () => {
    const listener = await listening('127.0.0.1');
    const there = async () => (await fetch(`http://[::1]:${listener.port}`)).text();
    expect([await there(), await isFree(listener.port)]).toEqual(['here', false]);
    const before = listener.port;
    const gone = createSocketServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    await listener.move({ port, host: '0.0.0.0' });
    expect([await there(), await isFree(port), await isFree(before)]).toEqual(['here', false, true]);
    listener.stopSecond();
    expect(await isFree(port)).toBe(true);
  });

  test('of which another program has the other address, is a taken port', async () => {
    const other = createSocketServer().listen(0, '::1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const binding = { port, host: '127.0.0.1' };
    await expect(ensurePortIsFree(binding)).rejects.toThrow(`port ${port} is taken by another program`);
    const listener = await listening('127.0.0.1');
    const before = listener.binding;
    await expect(listener.move(binding)).rejects.toMatchObject({ code: 'port-taken' });
    expect(listener.binding).toEqual(before);
  });
});

describe('moving', () => {
  test('to port 0 keeps the port, also at another address', async () => {
    const listener = await listening('127.0.0.1');
    const { port } = listener;
    await listener.move({ port: 0, host: '0.0.0.0' });
    expect(listener.binding).toEqual({ port, host: '0.0.0.0' });
  });

  test('to a taken port changes nothing', async () => {
    const listener = await listening('127.0.0.1');
    const { binding } = listener;
    const move = listener.move({ port: await portOf({}), host: '127.0.0.1' });
    await expect(move).rejects.toMatchObject({ code: 'port-taken' });
    expect(listener.binding).toEqual(binding);
    expect(await (await fetch(listener.url)).text()).toBe('here');
  });

  test('to an impossible address takes the port back once it is free, and sends nothing to its holder meanwhile', async () => {
    const listener = await listening('127.0.0.1');
    const { binding } = listener;
    let asked = 0;
    // Accepts connections, and never answers.
    const thief = createSocketServer(() => asked++);
    const attempts = vi.spyOn(listener.app.server, 'listen');
    // An address reserved for examples: no machine has it.
    const move = listener.move({ port: binding.port, host: '203.0.113.1' });
    const refused = expect(move).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
    thief.listen(binding.port, '127.0.0.1');
    await once(thief, 'listening');
    await eventually('it tries again and again', () => attempts.mock.calls.length >= 4);
    thief.close();
    await refused;
    expect([asked, listener.binding]).toEqual([0, binding]);
    expect(await (await fetch(listener.url)).text()).toBe('here');
  });
});
