import { chmod, chown, lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '#dist/config/config-error.js';
import { type Flags, parseFlags } from '#dist/config/flags.js';
import { findJsonFault } from '#dist/config/json-fault.js';
import { LiveConfig } from '#dist/config/live-config.js';
import { type OverrideSources, overridesOf } from '#dist/config/overrides.js';
import { preparePaths, resolvePaths } from '#dist/config/paths.js';
import type { Machine } from '#dist/config/settings.js';

const machine = { platform: 'linux', cores: 4 };
const noFlags: Flags = { help: false, version: false, 'no-mcp': false };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function load(file: unknown, sources: Partial<OverrideSources & { machine: Machine }> = {}) {
  const configFile = join(folder, 'config.json');
  if (file !== undefined) await writeFile(configFile, typeof file === 'string' ? file : JSON.stringify(file));
  const overrides = overridesOf({ flags: noFlags, env: {}, ...sources });
  return (await LiveConfig.open({ configFile, machine, overrides, ...sources })).current;
}

describe('settings', () => {
  test('without a file, the defaults', async () => {
    expect(await load(undefined)).toMatchObject({
      network: { port: 42031, allowedOrigins: [] },
      mcp: { enabled: true, port: 42032, sessionIdleMs: 3_600_000 },
      dashboard: { port: 42030 },
      terminals: { scrollback: 1000, keepExitedMs: 600_000, orphanMs: 86_400_000, shards: 3 },
    });
  });

  test('one core still has a shard', async () => {
    const config = await load({}, { machine: { platform: 'linux', cores: 1 } });
    expect(config.terminals.shards).toBe(1);
  });

  test('the file overrides them; keys of other versions do not matter', async () => {
    const config = await load({
      network: { port: 5000, allowedOrigins: ['HTTPS://Panel.example:443/'], later: 1 },
      terminals: { scrollback: 0, shards: 2, defaultProfile: 'zsh' },
      nextYear: {},
    });
    expect(config.network).toMatchObject({ port: 5000, allowedOrigins: ['https://panel.example'] });
    expect(config.terminals).toMatchObject({ scrollback: 0, shards: 2, defaultProfile: 'zsh' });
  });

  test('CLI types extend the built-ins, field by field', async () => {
    const { cliTypes } = await load({ cliTypes: { agent_a: { submit: '\r\r' }, aider: { submit: '\n' } } });
    expect(cliTypes.agent_a).toEqual({ submit: '\r\r', submitDelayMs: 150 });
    expect(cliTypes.aider).toEqual({ submit: '\n', submitDelayMs: 150 });
    expect(cliTypes.default).toEqual({ submit: '\r', submitDelayMs: 0 });
  });

  test.each([
    [{ network: { port: 80 } }, 'network.port: must be 0 or a port from 1024 to 65535'],
    [{ network: { port: '5000' } }, 'network.port: '],
    [{ network: { allowedOrigins: ['*'] } }, 'network.allowedOrigins.0: must be an origin'],
    [{ network: { allowedOrigins: ['null'] } }, 'network.allowedOrigins.0: must be an origin'],
    [{ network: { allowedOrigins: ['http://a/b'] } }, 'network.allowedOrigins.0: must be an origin'],
    [{ terminals: { scrollback: -1 } }, 'terminals.scrollback: '],
    [{ terminals: { shards: 0 } }, 'terminals.shards: '],
    [{ terminals: { orphanMs: 1e12 } }, 'terminals.orphanMs: '],
    [{ cliTypes: { custom: { submit: 'x' } } }, 'cliTypes.custom: is reserved'],
    [{ cliTypes: { mine: {} } }, 'cliTypes.mine.submit: is required'],
    [[], 'the file: '],
    ['null', 'the file: '],
  ])('%j is refused', async (file, message) => {
    await expect(load(file)).rejects.toThrow(`${join(folder, 'config.json')}: ${message}`);
  });

  test('a broken file is refused with line and column, and left as it is', async () => {
    const broken = '{\n  "network": {\n    "port": 42031,\n  }\n}\n';
    const refused = load(broken);
    await expect(refused).rejects.toBeInstanceOf(ConfigError);
    await expect(refused).rejects.toThrow('not valid JSON at line 4, column 3');
    expect(await readFile(join(folder, 'config.json'), 'utf8')).toBe(broken);
  });

  test('a file that cannot be read is refused', async () => {
    await mkdir(join(folder, 'config.json'));
    await expect(load(undefined)).rejects.toThrow('config.json: cannot be read (not a file)');
  });

  test('a byte order mark does not matter', async () => {
    expect((await load('\ufeff{"mcp":{"port":5001}}')).mcp.port).toBe(5001);
  });
});

describe('ports', () => {
  const env = { AUTO_TERMINAL_PORT: '6001', MCP_PORT: '6002', AUTO_TERMINAL_DASHBOARD_PORT: '6003' };
  const file = { network: { port: 5001 }, mcp: { port: 5002 }, dashboard: { port: 5003 } };
  const portsOf = async (overrides: Partial<OverrideSources>) => {
    const { network, mcp, dashboard } = await load(file, overrides);
    return [network.port, mcp.port, dashboard.port];
  };

  test('file, then environment, then flags', async () => {
    expect(await portsOf({})).toEqual([5001, 5002, 5003]);
    expect(await portsOf({ env })).toEqual([6001, 6002, 6003]);
    const flags = parseFlags(['--port', '0', '--mcp-port=7002', '--dashboard-port', '7003']);
    expect(await portsOf({ env, flags })).toEqual([0, 7002, 7003]);
  });

  test('an empty variable counts as unset', async () => {
    expect(await portsOf({ env: { AUTO_TERMINAL_PORT: '' } })).toEqual([5001, 5002, 5003]);
  });

  test.each(['80', '65536', '-1', 'x', '1e4', '0x1fff', '5000.5', ' 5000', '99999999999999'])(
    '%j is refused by name',
    async (text) => {
      const reason = `must be 0 or a port from 1024 to 65535, not ${JSON.stringify(text)}`;
      await expect(load({}, { env: { MCP_PORT: text } })).rejects.toThrow(`MCP_PORT: ${reason}`);
      const flags = { ...noFlags, 'dashboard-port': text };
      await expect(load({}, { flags })).rejects.toThrow(`--dashboard-port: ${reason}`);
    },
  );

  test('--no-mcp overrides the file', async () => {
    const flags = parseFlags(['--no-mcp']);
    expect((await load({ mcp: { enabled: true } }, { flags })).mcp.enabled).toBe(false);
    expect((await load({ mcp: { enabled: false } })).mcp.enabled).toBe(false);
  });

  test('unknown flags', () => {
    expect(() => parseFlags(['--prot', '1'])).toThrow(ConfigError);
    expect(() => parseFlags(['--port'])).toThrow(ConfigError);
    expect(() => parseFlags(['7000'])).toThrow(ConfigError);
    expect(() => parseFlags(['--managed-by', 'cron'])).toThrow('must be systemd or launchd, not "cron"');
    expect(parseFlags(['--managed-by', 'systemd'])).toMatchObject({ 'managed-by': 'systemd' });
    expect(parseFlags(['--help', '--version'])).toMatchObject({ help: true, version: true });
  });
});

describe('the place where JSON breaks', () => {
  test.each([
    ['', 1, 1],
    ['{', 1, 2],
    ['{"a":1}}', 1, 8],
    ['{"a":1,}', 1, 8],
    ['[1,]', 1, 4],
    ['[1 2]', 1, 4],
    ['{"a" 1}', 1, 6],
    ['{a:1}', 1, 2],
    ["{\n'a':1}", 2, 1],
    ['{"a":\n\n  tru}', 3, 3],
    ['{"a":1} // why', 1, 9],
    ['["\t"]', 1, 2],
    ['[01]', 1, 3],
    ['{"a":[1}', 1, 8],
  ])('%j at %i:%i', (text, line, column) => {
    expect(findJsonFault(text)).toEqual({ line, column });
  });

  test('it and JSON.parse agree on valid JSON', () => {
    const tokens = ['{', '}', '[', ']', ',', ':', '"a"', '1', '-0.5e3', 'true', 'null', ' ', '\n', 'x', '"'];
    const pieces = fc.constantFrom(...tokens);
    const valid = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const check = (text: string) => {
      expect(findJsonFault(text) === undefined).toBe(valid(text));
    };
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => check(parts.join(''))),
      { numRuns: 3_000 },
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => check(JSON.stringify(value, null, 2))),
      { numRuns: 500 },
    );
  });
});

describe('folders', () => {
  const at = (home: string) =>
    resolvePaths({ env: { AUTO_TERMINAL_HOME: home }, platform: 'linux', tmpFolder: folder });
  const modeOf = async (path: string) => (await lstat(path)).mode & 0o777;

  test('AUTO_TERMINAL_HOME contains everything, each folder private', async () => {
    const paths = at(join(folder, 'home'));
    await preparePaths(paths);
    expect(paths.hostSocket).toBe(join(folder, 'home', 'data', 'run', 'pty-host.sock'));
    for (const path of [paths.configFolder, paths.dataFolder, paths.runFolder])
      expect(await modeOf(path)).toBe(0o700);
  });

  test('a folder that is open to others is closed', async () => {
    const paths = at(folder);
    await mkdir(paths.dataFolder);
    await chmod(paths.dataFolder, 0o777);
    await preparePaths(paths);
    expect(await modeOf(paths.dataFolder)).toBe(0o700);
  });

  test('a file in the way is named', async () => {
    const paths = at(folder);
    await writeFile(paths.configFolder, '');
    await expect(preparePaths(paths)).rejects.toThrow(ConfigError);
    await expect(preparePaths(paths)).rejects.toThrow(paths.configFolder);
  });

  test('a folder of another user is refused', async () => {
    const paths = at(folder);
    if (process.getuid?.() === 0) {
      await mkdir(paths.dataFolder);
      await chown(paths.dataFolder, 65_534, 65_534);
    } else {
      await symlink('/', paths.dataFolder);
    }
    await expect(preparePaths(paths)).rejects.toThrow('belongs to another user');
  });

  test('too deep a home gets its socket elsewhere, the same at every start', () => {
    const deep = join(folder, 'x'.repeat(90));
    const { hostSocket, runFolder } = at(deep);
    expect(runFolder.startsWith(join(folder, 'auto-terminal-'))).toBe(true);
    expect(Buffer.byteLength(hostSocket)).toBeLessThanOrEqual(100);
    expect(at(deep).hostSocket).toBe(hostSocket);
    expect(at(`${deep}y`).hostSocket).not.toBe(hostSocket);
  });

  test('the error says that no place for a socket is left', () => {
    const env = { AUTO_TERMINAL_HOME: `/${'x'.repeat(90)}` };
    const tmpFolder = `/${'t'.repeat(90)}`;
    expect(() => resolvePaths({ env, platform: 'linux', tmpFolder })).toThrow(
      'path is too long for a socket',
    );
  });

  test('Windows has a named pipe', () => {
    const { hostSocket } = resolvePaths({ env: {}, platform: 'win32', tmpFolder: folder });
    expect(hostSocket).toMatch(/^\\\\\.\\pipe\\auto-terminal-[0-9a-f]{16}-pty-host$/);
  });
});
