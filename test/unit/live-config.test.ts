import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LiveConfig } from '#dist/config/live-config.js';
import { withoutEqual } from '#dist/config/merge-patch.js';

const machine = { platform: 'linux', cores: 4 };
let folder: string;
let configFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-live-'));
  configFile = join(folder, 'config.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (overrides = {}) => LiveConfig.open({ configFile, machine, overrides });
const written = async () => JSON.parse(await readFile(configFile, 'utf8'));

describe('the token', () => {
  test('is made on first run: 64 hex characters in a file private to its owner', async () => {
    const { current } = await open();
    expect(current.network.authToken).toMatch(/^[0-9a-f]{64}$/);
    expect((await written()).network.authToken).toBe(current.network.authToken);
    expect((await stat(configFile)).mode & 0o777).toBe(0o600);
    expect((await open()).current.network.authToken).toBe(current.network.authToken);
  });

  test('is added to a file without a token; all else stays, keys of other versions too', async () => {
    await writeFile(configFile, JSON.stringify({ later: [1], network: { port: 5000, wings: true } }));
    await chmod(configFile, 0o644);
    await open();
    const authToken = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(await written()).toEqual({ later: [1], network: { port: 5000, wings: true, authToken } });
    expect((await stat(configFile)).mode & 0o777).toBe(0o600);
  });

  test.each(['abc', 'x'.repeat(64), 12, null])(
    '%j in the file is refused, the file left as it is',
    async (authToken) => {
      const text = JSON.stringify({ network: { authToken } });
      await writeFile(configFile, text);
      await expect(open()).rejects.toThrow('network.authToken: ');
      expect(await readFile(configFile, 'utf8')).toBe(text);
    },
  );

  test('is replaced on rotation, in memory and in the file', async () => {
    const live = await open();
    const before = live.current.network.authToken;
    const after = await live.rotateToken();
    expect(after).not.toBe(before);
    expect(live.current.network.authToken).toBe(after);
    expect((await written()).network.authToken).toBe(after);
  });
});

describe('a change', () => {
  test('is merged into the file; null takes a setting back to its default', async () => {
    await writeFile(configFile, JSON.stringify({ later: 1, terminals: { shards: 2, scrollback: 5 } }));
    const live = await open();
    await live.patch({ terminals: { scrollback: 7, shards: null }, search: { index: false } });
    expect(live.current.terminals).toMatchObject({ scrollback: 7, shards: 3 });
    expect(live.current.search.index).toBe(false);
    expect(live.restartRequired).toEqual(['terminals.scrollback', 'terminals.shards']);
    const { later, terminals, search } = await written();
    expect({ later, terminals, search }).toEqual({
      later: 1,
      terminals: { scrollback: 7 },
      search: { index: false },
    });
  });

  test('that is wrong as a whole changes nothing and names the setting', async () => {
    const live = await open();
    const text = await readFile(configFile, 'utf8');
    const { current } = live;
    await expect(live.patch({ cliTypes: { mine: { submitDelayMs: 5 } } })).rejects.toMatchObject({
      code: 'invalid-request',
      message: 'cliTypes.mine.submit: is required for a new CLI type',
    });
    expect(live.current).toBe(current);
    expect(await readFile(configFile, 'utf8')).toBe(text);
  });

  test('that cannot take effect changes nothing', async () => {
    const live = await open();
    const text = await readFile(configFile, 'utf8');
    live.applyBy(async () => {
      throw new Error('port taken');
    });
    await expect(live.patch({ network: { port: 5001 } })).rejects.toThrow('port taken');
    expect(live.current.network.port).toBe(42031);
    expect(await readFile(configFile, 'utf8')).toBe(text);
  });

  test('that cannot be written is taken back', async () => {
    const live = await open();
    const ports: number[] = [];
    live.applyBy(async (next) => {
      ports.push(next.network.port);
      return async () => void ports.push(live.current.network.port);
    });
    await mkdir(`${configFile}.new`);
    await expect(live.patch({ network: { port: 5001 } })).rejects.toMatchObject({
      code: 'config-file-not-written',
    });
    expect([...ports, live.current.network.port]).toEqual([5001, 42031, 42031]);
  });

  test('of the first start, which makes the token, names the file that cannot be written', async () => {
    await mkdir(`${configFile}.new`);
    await expect(open()).rejects.toThrow(/^\S+config\.json: cannot be written \(\w+\)$/);
  });

  test('follows the one before, however close they come', async () => {
    const live = await open();
    const tables = Array.from({ length: 20 }, (_, index) => ({ [`agent${index}`]: { commands: ['x'] } }));
    await Promise.all(tables.map((agents) => live.patch({ agents })));
    expect(Object.keys((await written()).agents)).toHaveLength(20);
    expect(await readdir(folder)).toEqual(['config.json']);
  });

  test('of a port takes effect now, whatever the command line says', async () => {
    const live = await open({ network: 6001, mcp: 6002 });
    await live.patch({ search: { index: false } });
    expect(live.current).toMatchObject({ network: { port: 6001 }, mcp: { port: 6002 } });
    await live.patch({ network: { port: 5001 } });
    expect(live.current).toMatchObject({ network: { port: 5001 }, mcp: { port: 6002 } });
  });

  test('of a port holds, though another change was asked for before it took effect', async () => {
    const live = await open({ mcp: 6002 });
    await Promise.all([live.patch({ mcp: { port: 5002 } }), live.rotateToken()]);
    expect(live.current.mcp.port).toBe(5002);
    await Promise.all([live.patch({ mcp: { port: 5003 } }), live.patch({ search: { index: false } })]);
    expect(live.current).toMatchObject({ mcp: { port: 5003 }, search: { index: false } });
  });

  test('may be computed from the settings at its turn', async () => {
    const live = await open();
    const to = (port: number) =>
      live.patch(() => withoutEqual({ mcp: { port } }, { mcp: { port: live.current.mcp.port } }));
    await Promise.all([to(5002), to(live.current.mcp.port)]);
    expect(live.current.mcp.port).toBe(42032);
    const refused = live.patch(() => {
      throw new Error('not so');
    });
    await expect(refused).rejects.toThrow('not so');
    await to(5003);
    expect(live.current.mcp.port).toBe(5003);
  });

  test('of mcp.enabled takes effect now, too', async () => {
    const live = await open({ isMcpOff: true });
    await live.patch({ mcp: { port: 5002 } });
    expect(live.current.mcp.enabled).toBe(false);
    await live.patch({ mcp: { enabled: null } });
    expect(live.current.mcp.enabled).toBe(true);
  });

  test('is the coming one while it takes effect', async () => {
    const live = await open();
    const seen: unknown[] = [];
    live.applyBy(async () => {
      seen.push(live.coming?.network.port, live.current.network.port);
      throw new Error('not now');
    });
    await expect(live.patch({ network: { port: 5001 } })).rejects.toThrow('not now');
    expect([seen, live.coming]).toEqual([[5001, 42031], undefined]);
  });

  test("keeps a user's own edits of the file meanwhile, and applies them", async () => {
    const live = await open();
    await writeFile(
      configFile,
      JSON.stringify({ ...(await written()), mine: 1, terminals: { scrollback: 777 } }),
    );
    await live.patch({ search: { index: false } });
    expect(await written()).toMatchObject({
      mine: 1,
      terminals: { scrollback: 777 },
      search: { index: false },
    });
    expect(live.current.terminals.scrollback).toBe(777);
  });

  test('is refused while the file is broken, which stays as it is', async () => {
    const live = await open();
    await writeFile(configFile, '{ "mine": 1,');
    await expect(live.patch({ search: { index: false } })).rejects.toMatchObject({
      code: 'config-file-broken',
    });
    expect(await readFile(configFile, 'utf8')).toBe('{ "mine": 1,');
    expect(live.current.search.index).toBe(true);
  });

  test('that takes a section or a field back to its defaults keeps the token', async () => {
    const live = await open();
    const { authToken } = live.current.network;
    await live.patch({
      network: { allowedOrigins: ['http://a.example'] },
      cliTypes: { agent_a: { submit: 'x', submitDelayMs: 1 } },
    });
    await live.patch({ network: null, cliTypes: { agent_a: { submit: null } } });
    expect(live.current.network).toMatchObject({ allowedOrigins: [], authToken });
    expect(live.current.cliTypes.agent_a).toEqual({ submit: '\r', submitDelayMs: 1 });
    expect((await written()).network).toEqual({ authToken });
  });

  test('that makes two ports equal is refused, and so is such a file', async () => {
    const live = await open();
    const clash = 'network.port and mcp.port are both 42031';
    await expect(live.patch({ mcp: { port: 42031 } })).rejects.toThrow(clash);
    await live.patch({ mcp: { port: 42031, enabled: false } });
    await expect(live.patch({ mcp: { enabled: true } })).rejects.toThrow(clash);
    await writeFile(configFile, JSON.stringify({ dashboard: { port: 42031 } }));
    await expect(open()).rejects.toThrow('network.port and dashboard.port are both 42031');
  });

  test('follows a link to a file that does not exist yet', async () => {
    const elsewhere = join(folder, 'dotfiles.json');
    await symlink(elsewhere, configFile);
    await open();
    expect((await lstat(configFile)).isSymbolicLink()).toBe(true);
    expect((await stat(elsewhere)).mode & 0o777).toBe(0o600);
  });

  test('keeps a link to a file elsewhere', async () => {
    const elsewhere = join(folder, 'dotfiles.json');
    await writeFile(elsewhere, '{}');
    await symlink(elsewhere, configFile);
    const live = await open();
    await live.patch({ search: { index: false } });
    expect((await lstat(configFile)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(elsewhere, 'utf8')).search).toEqual({ index: false });
  });
});
