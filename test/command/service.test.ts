import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CLI } from '../support/cli.js';
import { command } from '../support/command.js';
import type { Finished } from '../support/run-process.js';
import { useService } from '../support/use-service.js';

const UNITS = ['auto-terminal-host.service', 'auto-terminal.service'];

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "at it's "));
});
afterEach(() => rmSync(home, { recursive: true }));

const env = () => ({
  HOME: home,
  XDG_CONFIG_HOME: '',
  XDG_RUNTIME_DIR: join(home, 'nothing'),
  AUTO_TERMINAL_PORT: '0',
});
const verb = (...args: string[]): Promise<Finished> =>
  command(join(home, 'state'), ['service', ...args], { env: env() });
const unitFile = (name: string, user = home) => join(user, '.config/systemd/user', name);

describe.runIf(process.platform === 'linux')('where no systemd runs', () => {
  test('install says so, and changes nothing', async () => {
    const { code, stdout, stderr } = await verb('install');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^auto-terminal: systemd does not answer for this user: \S.*\n.*auto-terminal serve/,
    );
    expect([existsSync(join(home, '.config')), existsSync(join(home, 'state'))]).toEqual([false, false]);
  });

  test('install --dry-run prints a script that writes the files, for their owner alone, and then asks systemd', async () => {
    const { code, stdout, stderr } = await verb('install', '--dry-run', '--linger');
    expect([code, stderr, existsSync(join(home, '.config'))]).toEqual([0, '', false]);
    const bin = join(home, 'bin');
    mkdirSync(bin);
    for (const program of ['systemctl', 'loginctl']) {
      writeFileSync(join(bin, program), `#!/bin/sh\necho "${program} $*" >> "${home}/calls"\n`);
      chmodSync(join(bin, program), 0o755);
    }
    const ran = spawnSync('sh', ['-eu'], {
      ...{ input: stdout, encoding: 'utf8', cwd: '/' },
      env: { PATH: `${bin}:${process.env.PATH}` },
    });
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(home, 'calls'), 'utf8').trim().split('\n')).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable auto-terminal.service',
      'systemctl --user reset-failed auto-terminal.service auto-terminal-host.service',
      'systemctl --user start auto-terminal.service',
      'loginctl enable-linger',
    ]);
    for (const name of UNITS) {
      const text = readFileSync(unitFile(name), 'utf8');
      expect(text).toContain(`Environment="AUTO_TERMINAL_HOME=${join(home, 'state')}"\n`);
      expect(text).toContain('Environment="AUTO_TERMINAL_PORT=0"\n');
      expect(text).toContain(`Environment="PATH=${process.env.PATH}"\n`);
      expect(statSync(unitFile(name)).mode & 0o777).toBe(0o600);
    }
  });

  test('the other verbs say that nothing is installed, or that it is for other folders', async () => {
    for (const args of [['status'], ['uninstall'], ['uninstall', '--dry-run'], ['logs']]) {
      const { code, stdout, stderr } = await verb(...args);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('auto-terminal service install');
    }
    mkdirSync(join(home, '.config/systemd/user'), { recursive: true });
    writeFileSync(unitFile('auto-terminal.service'), '[Unit]\nX-DataFolder="/of/another"\n');
    for (const args of [['status'], ['uninstall']])
      expect(await verb(...args)).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('AUTO_TERMINAL_HOME'),
      });
  });
});

test.runIf(process.platform === 'linux')(
  'install asks for the start once systemd knows of the end',
  async () => {
    const bin = join(home, 'bin');
    mkdirSync(bin);
    // This systemctl reports twice that a process runs which is gone.
    const script = `echo "$*" >> "${home}/calls"
case "$*" in
  *--property=Id*) [ "$(grep -c -e --property=Id "${home}/calls")" -gt 2 ] || printf 'ActiveState=active\nMainPID=4194305\n' ;;
  *start*) "${process.execPath}" "${CLI}" --no-mcp --dashboard-port 0 > "${home}/said" 2>&1 & ;;
esac
`;
    writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\n${script}`);
    chmodSync(join(bin, 'systemctl'), 0o755);
    const own = { ...env(), PATH: `${bin}:${process.env.PATH}` };
    const at = (...args: string[]) => command(join(home, 'state'), args, { env: own });
    expect(await at('service', 'install')).toMatchObject({ code: 0, stdout: '' });
    expect(await at('stop')).toMatchObject({ code: 0 });
    const calls = readFileSync(join(home, 'calls'), 'utf8').trim().split('\n');
    const looks = calls.slice(0, calls.indexOf('--user start auto-terminal.service'));
    expect(looks.filter((call) => call.includes('--property=Id'))).toHaveLength(3);
  },
);

test('logs prints the end of the log that a detached service has left', async () => {
  mkdirSync(join(home, 'state/data'), { recursive: true });
  writeFileSync(join(home, 'state/data/service.log'), 'one\ntwo\nthree\n');
  expect(await verb('logs', '-n', '2')).toEqual({ code: 0, stdout: 'two\nthree\n', stderr: '' });
});

test.each([
  [['install', '--url', 'http://127.0.0.1:1'], 'Leave out --url'],
  [['logs', '-n', 'many'], 'auto-terminal service logs --help'],
  [['start'], 'auto-terminal service --help'],
  [['install', 'now'], 'auto-terminal service install --help'],
])('%j is a wrong argument', async (args, advice) => {
  expect(await verb(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(advice) });
});

describe('while a service runs that nobody has installed', () => {
  const used = useService();

  test('the script of install leaves it alone', async () => {
    const { code, stdout } = await command(used.service.home, ['service', 'install', '--dry-run'], {
      env: env(),
    });
    expect([code, stdout.match(/^auto-terminal .*/gm)]).toEqual([0, null]);
  });
});
