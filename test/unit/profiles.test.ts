import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProfiles, type ProfileSources } from '#dist/actors/profiles.js';
import { inheritedEnvironment, shellEnvironment } from '#dist/actors/shell-environment.js';

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'at-shells-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Makes an executable file under the test's own root. */
async function program(path: string, mode = 0o755): Promise<string> {
  const full = join(root, path);
  await mkdir(join(full, '..'), { recursive: true });
  await writeFile(full, '#!/bin/sh\n', { mode });
  return full;
}

interface Machine extends Partial<ProfileSources> {
  shell?: string;
  listed?: string[];
  folders?: string[];
}

async function profilesOf({ shell, listed = [], folders = [], ...rest }: Machine) {
  const shellsFile = join(root, 'shells');
  await writeFile(shellsFile, ['# /etc/shells', '', ...listed.map((path) => `${path} # comment`)].join('\n'));
  const env = { SHELL: shell, PATH: folders.map((folder) => join(root, folder)).join(delimiter) };
  const custom = { list: () => [] };
  return createProfiles({
    env,
    platform: 'linux',
    shellsFile,
    defaultProfile: () => undefined,
    custom,
    ...rest,
  });
}

const idsOf = (profiles: { list(): { id: string }[] }) => profiles.list().map(({ id }) => id);

describe('detected shells', () => {
  test("come from $SHELL, /etc/shells and PATH, the user's own first", async () => {
    const fish = await program('opt/fish');
    const zsh = await program('listed/zsh');
    const dash = await program('path/dash');
    const profiles = await profilesOf({
      shell: fish,
      listed: [zsh, '/gone/bash'],
      folders: ['path', 'gone'],
    });
    expect(profiles.list().map(({ id, path }) => [id, path])).toEqual([
      ['fish', fish],
      ['zsh', zsh],
      ['dash', dash],
    ]);
  });

  test('have the whole shape', async () => {
    const path = await program('bin/bash');
    expect((await profilesOf({ shell: path })).list()).toEqual([
      {
        id: 'bash',
        name: 'bash',
        path,
        args: [],
        env: {},
        cwd: null,
        icon: null,
        is_default: true,
        is_custom: false,
      },
    ]);
  });

  test('a program under several paths is one profile, two of a name are two', async () => {
    const bash = await program('usr/bin/bash');
    await symlink(join(root, 'usr/bin'), join(root, 'bin'));
    const other = await program('local/bash');
    const profiles = await profilesOf({
      shell: bash,
      listed: [join(root, 'bin/bash'), other],
      folders: ['bin', 'local'],
    });
    expect(profiles.list().map(({ id, path }) => [id, path])).toEqual([
      ['bash', bash],
      ['bash-2', other],
    ]);
  });

  test('sh stays beside the dash it links to', async () => {
    const dash = await program('bin/dash');
    await symlink(dash, join(root, 'bin/sh'));
    expect(idsOf(await profilesOf({ folders: ['bin'] }))).toEqual(['sh', 'dash']);
  });

  test('files that cannot be run, folders and other programs are left out', async () => {
    const plain = await program('bin/zsh', 0o644);
    const nologin = await program('bin/nologin');
    await mkdir(join(root, 'bin/fish'), { recursive: true });
    const profiles = await profilesOf({ shell: 'bash', listed: [plain, nologin, join(root, 'bin/fish')] });
    expect(idsOf(profiles)).toEqual([]);
  });

  test('are looked for at each call', async () => {
    const profiles = await profilesOf({ folders: ['bin'] });
    expect(idsOf(profiles)).toEqual([]);
    await program('bin/zsh');
    expect(idsOf(profiles)).toEqual(['zsh']);
  });

  test('login shells on macOS', async () => {
    const path = await program('bin/zsh');
    const [zsh] = (await profilesOf({ shell: path, platform: 'darwin' })).list();
    expect(zsh?.args).toEqual(['-l']);
  });
});

describe('the default', () => {
  const defaultOf = async (machine: Machine) => {
    const defaults = (await profilesOf(machine)).list().filter((profile) => profile.is_default);
    expect(defaults).toHaveLength(1);
    return defaults[0]?.id;
  };

  test('is the setting, else $SHELL, else the first of bash, zsh, sh, else any', async () => {
    const fish = await program('own/fish');
    await program('bin/zsh');
    await program('bin/sh');
    const folders = ['bin'];
    expect(await defaultOf({ shell: fish, folders, defaultProfile: () => 'sh' })).toBe('sh');
    expect(await defaultOf({ shell: fish, folders, defaultProfile: () => 'gone' })).toBe('fish');
    expect(await defaultOf({ shell: '/gone/bash', folders })).toBe('zsh');
    expect(await defaultOf({ folders: ['own'] })).toBe('fish');
  });

  test('is $SHELL also under another path of the same program', async () => {
    const bash = await program('usr/bin/bash');
    await symlink(join(root, 'usr/bin'), join(root, 'bin'));
    expect(await defaultOf({ shell: join(root, 'bin/bash'), listed: [bash] })).toBe('bash');
  });

  test('stands in for an unknown profile', async () => {
    const profiles = await profilesOf({
      shell: await program('bin/bash'),
      listed: [await program('bin/zsh')],
    });
    expect(profiles.resolve('zsh').id).toBe('zsh');
    for (const id of [undefined, '', 'default', 'gone', '__proto__'])
      expect(profiles.resolve(id).id).toBe('bash');
  });

  test('shells that come and go are listed at once, and started by name at once', async () => {
    const bash = await program('bin/bash');
    const profiles = await profilesOf({ folders: ['bin'] });
    expect(profiles.resolve(undefined).id).toBe('bash');
    await program('bin/zsh');
    expect(profiles.resolve('zsh').id).toBe('zsh');
    await program('bin/fish');
    expect(idsOf(profiles)).toEqual(['bash', 'zsh', 'fish']);
    await rm(bash);
    expect(idsOf(profiles)).toEqual(['zsh', 'fish']);
    expect(profiles.resolve(undefined).id).toBe('zsh');
  });

  test('many terminals in a row do not each look for shells', async () => {
    let looks = 0;
    const env = { PATH: join(root, 'bin') };
    const watched = Object.defineProperty({ ...env }, 'PATH', {
      get: () => {
        looks++;
        return env.PATH;
      },
    });
    await program('bin/bash');
    const profiles = await profilesOf({ env: watched });
    for (let count = 0; count < 100; count++) profiles.resolve('bash');
    expect(looks).toBeLessThan(10);
  });

  test('a machine without a shell is reported', async () => {
    const profiles = await profilesOf({});
    expect(() => profiles.resolve(undefined)).toThrow('No shell was found');
  });
});

describe('the environment of a shell', () => {
  const compose = (serviceEnv: NodeJS.ProcessEnv, profileEnv = {}, requestEnv = {}) =>
    shellEnvironment({
      inherited: inheritedEnvironment(serviceEnv),
      profileEnv,
      requestEnv,
      terminalId: 'term_1',
      apiUrl: 'http://127.0.0.1:1',
    });
  const own = {
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    SERVICE_TERMINAL_ID: 'term_1',
    AUTO_TERMINAL_API_URL: 'http://127.0.0.1:1',
  };

  test("is the service's, without private variables and those about another terminal", () => {
    const kept = {
      HOME: '/h',
      NODE_OPTIONS: '--x',
      MCP_SERVER_KEY: 'k',
      npm_config_registry: 'r',
      EMPTY: '',
    };
    const dropped = {
      AUTO_TERMINAL_TOKEN: 't',
      AUTO_TERMINAL_HOME: '/x',
      MCP_PORT: '1',
      NODE_CHANNEL_FD: '3',
      TMUX: '/tmp/x',
      COLUMNS: '80',
      TERM: 'dumb',
      UNSET: undefined,
    };
    expect(compose({ ...kept, ...dropped })).toEqual({ ...kept, ...own });
  });

  test('has nothing of npm when npm started the service', () => {
    const PATH = ['/p/node_modules/.bin', '/node_modules/.bin', '/npm/node-gyp-bin', '/usr/bin'].join(
      delimiter,
    );
    const env = { PATH, npm_lifecycle_event: 'start', npm_config_prefix: '/x', INIT_CWD: '/p' };
    expect(compose(env)).toEqual({ PATH: '/usr/bin', ...own });
    expect(compose({ PATH }).PATH).toBe(PATH);
  });

  test('profile, then request; variables that identify the terminal stay', () => {
    const profile = { A: 'profile', B: 'profile', TERM: 'vt100' };
    const request = { B: 'request', SERVICE_TERMINAL_ID: 'other' };
    expect(compose({ A: 'service', C: 'service' }, profile, request)).toEqual({
      ...own,
      A: 'profile',
      B: 'request',
      C: 'service',
      TERM: 'vt100',
    });
  });
});
