import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { execLine, quotedValue } from '#dist/command/service/systemd-words.js';
import { CLI } from '../support/cli.js';
import { ODD_WORD } from '../support/odd-words.js';
import { eventually, processInfo } from '../support/processes.js';
import { UserManager } from '../support/user-manager.js';

const SERVICE = 'auto-terminal.service';
const HOST = 'auto-terminal-host.service';
const { missing } = UserManager;

describe.skipIf(missing !== '')(`systemd of this user${missing && ` (skipped: ${missing})`}`, () => {
  let user: UserManager;
  const pidOf = (unit: string) => Number(user.property(unit, 'MainPID'));
  const stateOf = (unit: string) => user.property(unit, 'ActiveState');
  const kill = (unit: string) => process.kill(pidOf(unit), 'SIGKILL');

  beforeEach(async () => {
    user = await UserManager.start((home) => ({
      ...{ AUTO_TERMINAL_PORT: '0', MCP_PORT: '0', AUTO_TERMINAL_DASHBOARD_PORT: '0' },
      // The service must find its folder although systemd interprets much of the folder's name.
      AUTO_TERMINAL_HOME: join(home, 'at %h "$HOME"'),
    }));
  });
  afterEach(() => user.end());

  /** Runs a verb that must work; returns its standard output. */
  function out(...args: string[]): string {
    const { code, stdout, stderr } = user.verb(...args);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stderr}`);
    return stdout.trim();
  }

  /** Resolves once the service answers; returns the ids of its terminals. */
  async function terminals(): Promise<string[]> {
    await eventually('the service answers', () => user.verb('ls').code === 0);
    return out('ls', '-q').split('\n').filter(Boolean).sort();
  }

  test('a restart and the death of the service leave the terminals running', async () => {
    out('service', 'install');
    expect([stateOf(SERVICE), stateOf(HOST)]).toEqual(['active', 'active']);
    const id = out('new', '--', 'cat');
    const [service, host] = [pidOf(SERVICE), pidOf(HOST)];

    user.run('systemctl', '--user', 'restart', SERVICE);
    expect(await terminals()).toEqual([id]);
    out('restart');
    expect(await terminals()).toEqual([id]);
    const restarted = pidOf(SERVICE);
    kill(SERVICE);
    await eventually('systemd has started it again', () => ![0, restarted].includes(pidOf(SERVICE)));
    expect(await terminals()).toEqual([id]);
    out('service', 'install');
    expect(await terminals()).toEqual([id]);

    expect(pidOf(HOST)).toBe(host);
    expect(pidOf(SERVICE)).not.toBe(service);
    const { stdout } = user.verb('service', 'status', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ manager: 'systemd', active: true, starts: 'at login' });
  });

  test('a host that has died is started again as its unit, not within the service', async () => {
    out('service', 'install');
    const host = pidOf(HOST);
    kill(HOST);
    await eventually('another host runs', () => ![0, host].includes(pidOf(HOST)));
    await eventually('the service has it', () => user.verb('new', '--', 'cat').code === 0);
    const group = readFileSync(`/proc/${pidOf(HOST)}/cgroup`, 'utf8');
    expect(group).toContain(HOST);
    const [id] = await terminals();
    user.run('systemctl', '--user', 'restart', SERVICE);
    expect(await terminals()).toEqual([id]);
  });

  test('a stop closes the terminals and is final; new starts the service as its unit', async () => {
    out('service', 'install');
    for (const stop of [['systemctl', '--user', 'stop', SERVICE], undefined]) {
      const id = out('new', '--', 'sleep', '1000');
      const { pid } = JSON.parse(out('show', id, '-o', 'json')) as { pid: number };
      if (stop) user.run(...(stop as [string, ...string[]]));
      else out('stop');
      // systemd detects the end of each unit by itself, in any order.
      await eventually('both have ended', () =>
        [HOST, SERVICE].every((unit) => stateOf(unit) === 'inactive'),
      );
      expect(processInfo(pid)).toBeUndefined();
      expect(user.verb('service', 'status').code).toBe(7);
    }
    out('new', '--', 'cat');
    expect(stateOf(SERVICE)).toBe('active');
  });

  test('the service ends with the last session, and comes with the next one', async () => {
    out('service', 'install');
    const id = out('new', '--', 'sleep', '1000');
    const { pid } = JSON.parse(out('show', id, '-o', 'json')) as { pid: number };
    await user.logOut();
    expect(processInfo(pid)).toBeUndefined();
    await user.logIn();
    expect(await terminals()).toEqual([]);
    expect(stateOf(SERVICE)).toBe('active');
  });

  test('uninstall removes all, and --keep leaves the terminals to the next service', async () => {
    out('service', 'install');
    const id = out('new', '--', 'cat');
    expect(out('service', 'uninstall', '--keep')).toBe('');
    expect(existsSync(join(user.home, '.config/systemd/user', SERVICE))).toBe(false);
    expect(user.property(SERVICE, 'LoadState')).toBe('not-found');
    const other = out('new', '--', 'cat');
    expect(await terminals()).toEqual([id, other].sort());
    expect(stateOf(SERVICE)).toBe('inactive');

    expect(user.verb('service', 'install')).toMatchObject({
      ...{ code: 5, stderr: expect.stringContaining('auto-terminal stop --keep') },
    });
    out('stop', '--keep');
    out('service', 'install');
    expect(await terminals()).toEqual([id, other].sort());
    out('service', 'uninstall');
    await eventually('the host has ended', () => stateOf(HOST) === 'inactive');
    expect(user.verb('service', 'uninstall').code).toBe(3);
  });

  test.each([
    ['', ''],
    // Until the pty host has failed once more, systemd considers the service inactive, and will start it.
    [
      ', also while it waits for a pty host that fails slowly',
      'ExecStartPre=sleep 1\nExecStart=\nExecStart=false',
    ],
  ])('a service that cannot start is said once systemd gives it up%s', (_how, host) => {
    const folder = join(user.home, '.config/systemd/user', `${HOST}.d`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'slow.conf'), `[Service]\n${host}\n`);
    const ports = ['AUTO_TERMINAL_PORT=45111', 'AUTO_TERMINAL_DASHBOARD_PORT=45111'];
    const ran = user.run('env', ...ports, process.execPath, CLI, 'service', 'install');
    expect(ran).toMatchObject({ code: 7, stderr: expect.stringContaining('did not start') });
    expect(stateOf(SERVICE)).toBe('failed');
  });

  test('programs get odd words and variables as they are', async () => {
    const words = fc.sample(ODD_WORD, 200);
    const file = join(user.home, 'got.json');
    const code = `require('fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify([process.argv.slice(1), process.env]))`;
    const lines = [
      `ExecStart=${execLine([process.execPath, '-e', code, '--', ...words])}`,
      ...words.map((word, index) => `Environment=${quotedValue(`V${index}=${word}`)}`),
    ];
    writeFileSync(join(user.home, 'odd.service'), `[Service]\nType=oneshot\n${lines.join('\n')}\n`);
    user.run('systemctl', '--user', 'link', join(user.home, 'odd.service'));
    expect(user.run('systemctl', '--user', 'start', 'odd.service')).toMatchObject({ code: 0, stderr: '' });
    const [args, env] = JSON.parse(readFileSync(file, 'utf8')) as [string[], Record<string, string>];
    expect(args).toEqual(words);
    expect(words.map((_, index) => env[`V${index}`])).toEqual(words);
  });
});
