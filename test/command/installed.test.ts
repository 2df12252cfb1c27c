import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, type } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environmentFor } from '../support/command.js';
import { install, type Packed, pack } from '../support/installed.js';
import { connect } from '../support/mcp.js';
import { runNode } from '../support/run-process.js';

const MAX_FILE_BYTES = 5_000_000;
/** The goals of docs/decisions/package.md, with room for what npm adds on other machines. */
const MAX_FILES = 610;
const MAX_BYTES = 42_000_000;

let folder: string;
let packed: Packed;
let bin: string;
let said: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-installed-'));
  packed = await pack(folder);
  const installed = await install(packed.tarball, folder);
  bin = installed.bin;
  said = installed.output;
});
afterAll(async () => {
  await installed('stop');
  await rm(folder, { recursive: true });
});

/** Runs the installed command for a service of its own, as a user would: from anywhere, without a terminal. */
function installed(...args: string[]) {
  const env = { AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' };
  const home = join(folder, 'home');
  return runNode([join(bin, 'auto-terminal'), ...args], {
    cwd: '/',
    env: { ...environmentFor(home), ...env },
  });
}

/** Returns the origins of the service that has been started. */
function origins(): Record<'url' | 'mcp' | 'dashboard', string> {
  const facts = readFileSync(join(folder, 'home/data/run/service.json'), 'utf8');
  return JSON.parse(facts) as Record<'url' | 'mcp' | 'dashboard', string>;
}

describe('the package', () => {
  test('has no test, no source, no source map and no large file', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['bundle/src/cli.js', 'bundle/THIRD-PARTY.txt', 'LICENSE']));
    expect(paths.filter((path) => /(^|\/)(test|bench)\/|\.test\.|\.map$|(?<!\.d)\.tsx?$/.test(path))).toEqual(
      [],
    );
    expect(packed.files.filter(({ size }) => size > MAX_FILE_BYTES)).toEqual([]);
    const helpers = packed.files.filter(({ path }) => path.endsWith('/spawn-helper'));
    expect(helpers.map(({ mode }) => mode & 0o111)).toEqual([0o111, 0o111]);
  });

  test('asks for no other Node, and has the licences of what is in it', () => {
    expect(said).not.toContain('EBADENGINE');
    const notices = readFileSync(
      join(bin, '../lib/node_modules/auto-terminal/bundle/THIRD-PARTY.txt'),
      'utf8',
    );
    for (const name of ['fastify', '@modelcontextprotocol/sdk', 'dejavu-fonts-ttf', 'canvaskit-wasm', 'zod'])
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  test('takes few files, and little space', () => {
    const all = readdirSync(join(bin, '..'), { recursive: true, encoding: 'utf8' });
    const files = all.map((name) => lstatSync(join(bin, '..', name))).filter((file) => file.isFile());
    expect(files.length).toBeLessThan(MAX_FILES);
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  });
});

describe('the installed command', () => {
  test('runs a program, and has started the service for it', async () => {
    expect(await installed('run', '--', 'uname')).toMatchObject({ code: 0, stdout: `${type()}\n` });
    expect(await installed('ls')).toMatchObject({ code: 0, stderr: '' });
  });

  test('runs a line in a shell, whose integration is there', async () => {
    expect(await installed('new', '--name', 'shell')).toMatchObject({ code: 0 });
    expect(await installed('exec', 'shell', '--', 'echo hi; (exit 3)')).toMatchObject({
      code: 3,
      stdout: 'hi\n',
    });
  });

  test('draws a picture, with the fonts that came along', async () => {
    const file = join(folder, 'shell.png');
    expect(await installed('screen', 'shell', '--png', file)).toMatchObject({ code: 0 });
    expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG');
  });

  test('finds what a terminal printed', async () => {
    expect(await installed('search', 'hi')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('echo hi'),
    });
  });

  test('serves the dashboard, and the page of the reference with its files', async () => {
    const { url, dashboard } = origins();
    expect(await (await fetch(dashboard)).text()).toContain('<script');
    const page = await (await fetch(`${url}/docs`)).text();
    const files = [...page.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect([(await fetch(url + file)).status, file]).toEqual([200, file]);
  });

  test('serves the tools', async () => {
    const client = await connect(origins().mcp);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('create_terminal');
    await client.close();
  });

  test('brings the client for programs', async () => {
    const client = createRequire(join(bin, '../lib/node_modules/program.js')).resolve('auto-terminal/client');
    const { AutoTerminal } = (await import(client)) as typeof import('#dist/client/index.js');
    const service = AutoTerminal.connect({ url: origins().url });
    expect((await service.terminals.list()).map(({ name }) => name)).toContain('shell');
    service.close();
  });
});
