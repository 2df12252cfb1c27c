import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadLibc } from '#dist/workers/pty-host/pty/libc.js';
import { eventually, processInfo } from '../support/processes.js';
import { running, shellsAsSh, type Wrapped, WrapperRig, which } from '../support/wrapped-programs.js';

const [shells, removeShells] = shellsAsSh();
let rig: WrapperRig;
beforeAll(async () => {
  rig = await WrapperRig.start();
});
afterAll(async () => {
  await rig.end();
  removeShells();
});

const CTRL_C = '\x03';
const CTRL_Q = '\x11';
const CTRL_S = '\x13';
const CTRL_Z = '\x1a';
const CTRL_BACKSLASH = '\x1c';
const TCOOFF = 0;
const TCOON = 1;

/** Interactive shells, with options that keep them from reading configurations. */
const INTERACTIVE = (
  [
    ['bash', ['--norc', '--noprofile']],
    ['zsh', ['-f']],
    ['fish', ['--no-config']],
  ] satisfies [string, string[]][]
).filter(([file]) => which(file));

/** Returns the name of the program that the process runs; empty if the process has gone. */
function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** Returns the group of the process, and the foreground group of its terminal. */
function groupsOf(pid: number): { own: number; foreground: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { own: Number(fields[2]), foreground: Number(fields[5]) };
}

/** Output without escape sequences and the carriage returns of echo. */
function plain(run: Wrapped): string {
  return run.text.replace(/\x1b\[[?\d;]*[a-zA-Z]|\r/g, '');
}

describe.each(shells)('under $name', ({ tools }) => {
  const start = async (script: string) => {
    const run = await rig.sh(script, tools);
    await run.prints('up');
    return run;
  };

  test('keys that signal reach the program, whether it ends by them or not', async () => {
    const interrupted = await start('printf up; exec sleep 100');
    await rig.type(interrupted, CTRL_C);
    expect(await interrupted.ended()).toEqual({ exitCode: 130, signal: 0 });
    const quit = await start('printf up; exec sleep 100');
    await rig.type(quit, CTRL_BACKSLASH);
    expect(await quit.ended()).toEqual({ exitCode: 0, signal: 3 });
    const deaf = await start('trap "" INT QUIT; printf up; read -r line; exit 6');
    await rig.type(deaf, `${CTRL_C}${CTRL_BACKSLASH}${CTRL_Z}\r`);
    expect(await deaf.ended()).toEqual({ exitCode: 6, signal: 0 });
    const caught = await start('trap "echo caught; exit 4" INT; printf up; while :; do sleep 0.05; done');
    await rig.type(caught, CTRL_C);
    expect(await caught.ended()).toEqual({ exitCode: 4, signal: 0 });
    expect(caught.text).toBe('up^Ccaught\r\n');
  });

  test('the program is in the foreground group, below the session of the pane', async () => {
    const run = await start('printf up; exec sleep 100');
    const { leader } = run.pane;
    expect(groupsOf(run.pid)).toEqual({ own: leader, foreground: leader });
    expect(processInfo(run.pid)).toMatchObject({ parent: leader, session: leader });
    expect(running(leader)).toHaveLength(2);
    await rig.close(run);
  });

  test.each(INTERACTIVE)('jobs of an interactive %s', async (file, options) => {
    const env = { PATH: process.env.PATH ?? '', HOME: rig.folder, TERM: 'xterm', PS1: '$ ' };
    const run = await rig.run({ file, args: [...options, '-i'], env }, tools);
    await eventually('it is there', () => run.pid > 0);
    const foreground = () => groupsOf(run.pid).foreground;
    const asks = () => eventually('it asks', () => foreground() === run.pid);
    // Before the job becomes another program, it ignores the same signals as the shell.
    const sleeps = () =>
      eventually('sleep has the terminal', () => {
        const job = foreground();
        return nameOf(job) === 'sleep' && processInfo(job)?.state === 'S';
      });
    await asks();
    expect(groupsOf(run.pid).own).toBe(run.pid);
    await rig.type(run, 'sleep 100\r');
    await sleeps();
    const job = foreground();
    await rig.type(run, CTRL_Z);
    await asks();
    expect(processInfo(job)?.state).toBe('T');
    await rig.type(run, 'fg\r');
    await sleeps();
    expect(foreground()).toBe(job);
    await rig.type(run, CTRL_C);
    await asks();
    await rig.type(run, 'sleep 101 &\r');
    await eventually('it runs aside', () => running(run.pane.leader).length === 3);
    expect(foreground()).toBe(run.pid);
    await rig.type(run, 'kill %1; exit 5\r');
    await eventually('it has ended, or wants to be asked again', async () => {
      if (!run.end) await rig.type(run, 'exit 5\r');
      return run.end !== null;
    });
    expect(run.end).toEqual({ exitCode: 5, signal: 0 });
    await rig.close(run);
  });

  test('a program that is killed while its own group has the terminal is reported', async () => {
    for (const line of ['kill -9 $$', 'stty tostop; kill -9 $$', 'stty olcuc -opost -icanon; kill -9 $$']) {
      const run = await rig.run({ file: 'bash', args: ['--norc', '-i'] }, tools);
      await eventually('it asks', () => run.pid > 0 && groupsOf(run.pid).foreground === run.pid);
      await run.prints(/[$#] $/);
      await rig.type(run, `${line}\r`);
      expect(await run.ended(), line).toEqual({ exitCode: 0, signal: 9 });
      expect(plain(run)).toContain(line);
      expect(run.text).not.toContain('Killed');
      await rig.close(run);
    }
  });

  test('the end of a program that Ctrl+S has stopped is reported', async () => {
    const run = await start('printf up; read -r line; exit 4');
    await rig.type(run, `${CTRL_S}\r`);
    expect(await run.ended()).toEqual({ exitCode: 4, signal: 0 });
    const resumed = await start('printf up; read -r line; printf more; exit 4');
    await rig.type(resumed, `${CTRL_S}\r`);
    await rig.type(resumed, CTRL_Q);
    expect(await resumed.ended()).toEqual({ exitCode: 4, signal: 0 });
    expect(resumed.text).toContain('more');
  });

  test.runIf(process.platform === 'linux')(
    'so is that of a program whose terminal the host has stopped, once it resumes',
    async () => {
      const libc = loadLibc(process.platform, process.arch);
      if ('missing' in libc) throw new Error(libc.missing);
      const run = await start('printf up; read -r line; exit 4');
      const fd = openSync(run.pane.terminal, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
      expect(libc.tcflow(fd, TCOOFF)).toBe(0);
      await rig.type(run, '\r');
      // The program has ended, and the shell is about to report that.
      await eventually('it has ended', () => processInfo(run.pid) === undefined);
      await rig.type(run, CTRL_C);
      expect(run.end).toBe(null);
      libc.tcflow(fd, TCOON);
      expect(await run.ended()).toEqual({ exitCode: 4, signal: 0 });
      closeSync(fd);
    },
  );

  test('Ctrl+C after the end drops nothing of its report', async () => {
    const run = await start('printf up; read -r line; exit 4');
    const end = rig.type(run, '\r');
    const interrupts = Array.from({ length: 20 }, () => rig.type(run, CTRL_C));
    await Promise.all([end, ...interrupts]);
    expect([4, 130]).toContain((await run.ended()).exitCode);
    // The race is seldom lost, so this checks the setting that decides the race.
    expect(execFileSync('stty', ['-F', run.pane.terminal, '-a'], { encoding: 'utf8' })).toMatch(/\snoflsh\s/);
    await rig.close(run);
  });

  test('output of jobs of the ended program is not its output', async () => {
    const run = await rig.sh('(while :; do echo late; done) & sleep 0.05; exit 3', tools);
    expect(await run.ended()).toEqual({ exitCode: 3, signal: 0 });
    const { length } = run.output;
    await eventually('more comes', () => run.raw.length > length + 10_000);
    expect(run.output).toHaveLength(length);
    expect(run.text.replaceAll('late\r\n', '')).toBe('');
    await rig.close(run);
  });

  test('the end of a program that releases its terminal is reported', async () => {
    const script = 'setsid sh -c "sleep 1" <&- >&- 2>&- & exec <&- >&- 2>&-; exit 6';
    const run = await rig.sh(script, tools);
    expect(await run.ended()).toEqual({ exitCode: 6, signal: 0 });
    await rig.close(run);
  });

  test('nothing is left of programs in closed panes', async () => {
    const running1 = await start('printf up; exec sleep 100');
    const ended = await rig.sh('exit 3', tools);
    await ended.ended();
    const hupDeaf = await start('trap "" HUP; printf up; read -r line || exit 1; sleep 100');
    for (const run of [running1, ended, hupDeaf]) await rig.close(run);
    const leaders = [running1, ended, hupDeaf].map(({ pane }) => pane.leader);
    await eventually('they have gone', () => leaders.flatMap(running).length === 0);
  });
});

test('nothing is left of programs in a killed server', async () => {
  const other = await WrapperRig.start();
  const [[pid = ''] = []] = await other.client.ask(["display-message -p '#{pid}'"]);
  const run = await other.sh('printf up; exec sleep 100');
  await run.prints('up');
  const ended = await other.sh('exit 3');
  await ended.ended();
  expect(other.left().length).toBe(3);
  process.kill(Number(pid), 'SIGKILL');
  await eventually('they have gone', () => other.left().length === 0);
  await other.end();
});
