import { describe, expect, test } from 'vitest';
import type { ProgramResult, RunProgram } from '#dist/actors/run-program.js';
import { TmuxDetector, type TmuxOptions } from '#dist/actors/tmux/detector.js';
import { attachLine, tmuxEnvironment } from '#dist/actors/tmux/environment.js';
import { faultOfVersion } from '#dist/actors/tmux/version.js';

interface Call {
  line: string;
  env: NodeJS.ProcessEnv;
}

type Answer = (line: string) => Partial<ProgramResult> | Error;

/** Returns a runner that answers each command line with `answer`, and keeps the command lines. */
function runner(answer: Answer) {
  const calls: Call[] = [];
  const run: RunProgram = async (file, args, { env }) => {
    const line = [file, ...args].join(' ');
    calls.push({ line, env });
    const result = answer(line);
    if (result instanceof Error) throw result;
    return { exitCode: 0, stdout: Buffer.alloc(0), ...result };
  };
  return { calls, run };
}

const PATH = process.env.PATH;

function detector(run: RunProgram, options: Partial<TmuxOptions> = {}) {
  return new TmuxDetector({
    platform: 'linux',
    env: () => ({ PATH }),
    socketName: 'ours',
    obstacle: null,
    run,
    ...options,
  });
}

const UNAVAILABLE = { available: false, tmux_path: '', wsl_distro: null, active_sessions: 0 };
const printed = (text: string) => ({ stdout: Buffer.from(text) });

/** Returns the answers of a tmux of this version; `sessions` is its list of sessions. */
const tmuxOf = (version: string, sessions: Partial<ProgramResult> | Error = {}): Answer => {
  return (line) => (line.endsWith(' -V') ? printed(`${version}\n`) : sessions);
};

const [ONE, TWO] = ['term_0123456789ab', 'term_zyxwvutsrqpo'];
const LIST = '-L ours list-sessions -F #{session_name}';

describe('a version of tmux', () => {
  test.each([
    'tmux 3.2',
    'tmux 3.2-rc3\n',
    'tmux 3.3a',
    'tmux 3.10',
    'tmux 4.0',
    'tmux next-3.8\n',
    'tmux master',
    'tmux openbsd-7.5',
  ])('that is new enough: %s', (answer) => {
    expect(faultOfVersion(answer)).toBeNull();
  });

  test.each([
    ['tmux 2.9', 'tmux 2.9 is too old: 3.2 or later is required'],
    ['tmux 3.1c\n', 'tmux 3.1c is too old: 3.2 or later is required'],
    ['tmux next-3.1', 'tmux next-3.1 is too old: 3.2 or later is required'],
    ['tmux 1.10', 'tmux 1.10 is too old: 3.2 or later is required'],
    ['tmux future', 'tmux does not report its version'],
    ['tmux', 'tmux does not report its version'],
    ['', 'tmux does not report its version'],
    ['unknown option 3.4', 'tmux does not report its version'],
  ])('that is not: %s', (answer, fault) => {
    expect(faultOfVersion(answer)).toBe(fault);
  });
});

describe('tmux in a WSL distribution', () => {
  const distros = (names: string[], encoding: BufferEncoding) => ({
    stdout: Buffer.from(`\ufeff${names.join('\r\n')}\r\n`, encoding),
  });

  test.each<BufferEncoding>(['utf16le', 'utf8'])(
    'is found in the first distribution with a new enough one (%s)',
    async (encoding) => {
      const { calls, run } = runner((line) => {
        if (line === 'wsl.exe --list --quiet')
          return distros(['docker-desktop', 'Alpine', 'Ubuntu-18.04', 'Ubuntu-24.04'], encoding);
        if (line.includes('Alpine')) return { exitCode: 127 };
        if (line.includes('18.04')) return printed('tmux 2.6\n');
        return tmuxOf('tmux 3.4', printed(`hub\n${ONE}\n`))(line);
      });
      const tmux = detector(run, { platform: 'win32', env: () => ({}) });
      const found = { available: true, tmux_path: 'wsl.exe', wsl_distro: 'Ubuntu-24.04', active_sessions: 1 };
      expect(await tmux.status()).toEqual(found);
      expect(await tmux.status()).toEqual(found);
      const inUbuntu = 'wsl.exe --distribution Ubuntu-24.04 --exec tmux';
      expect(calls.map(({ line }) => line)).toEqual([
        'wsl.exe --list --quiet',
        'wsl.exe --distribution Alpine --exec tmux -V',
        'wsl.exe --distribution Ubuntu-18.04 --exec tmux -V',
        `${inUbuntu} -V`,
        `${inUbuntu} ${LIST}`,
        `${inUbuntu} ${LIST}`,
      ]);
      expect(await tmux.home()).toEqual({ fault: 'tmux in WSL is not supported yet' });
    },
  );

  test.each<[string, Answer]>([
    ['no WSL', () => Object.assign(new Error('spawn wsl.exe ENOENT'), { code: 'ENOENT' })],
    ['WSL without a distribution', () => ({ exitCode: 1 })],
    [
      'a distribution without tmux',
      (line) => (line.includes('--list') ? distros(['Ubuntu'], 'utf8') : { exitCode: 1 }),
    ],
  ])('is not there: %s', async (_what, answer) => {
    const tmux = detector(runner(answer).run, { platform: 'win32', env: () => ({}) });
    expect(await tmux.status()).toEqual(UNAVAILABLE);
  });
});

describe('native tmux', () => {
  test("is asked for the terminals in its own server; the host's session is not listed", async () => {
    const { calls, run } = runner(
      tmuxOf('tmux 3.3a', printed(`auto-terminal-host-7\n${ONE}\nmine\n${TWO}\n`)),
    );
    const tmux = detector(run);
    const status = await tmux.status();
    expect(status).toMatchObject({ available: true, active_sessions: 2, wsl_distro: null });
    const file = status.tmux_path;
    expect(calls.map(({ line }) => line)).toEqual([`${file} -V`, `${file} ${LIST}`]);
    expect(await tmux.home()).toEqual({ file, socketName: 'ours' });
  });

  test('has no sessions if no server runs', async () => {
    const { run } = runner(tmuxOf('tmux 3.3a', { exitCode: 1 }));
    expect(await detector(run).status()).toMatchObject({ available: true, active_sessions: 0 });
  });

  test('that does not answer in time is an error', async () => {
    const { run } = runner(tmuxOf('tmux 3.3a', { exitCode: null }));
    const status = detector(run).status();
    await expect(status).rejects.toMatchObject({ code: 'unavailable', message: 'tmux does not answer' });
  });

  test('that has gone since the start is an error', async () => {
    const gone = Object.assign(new Error('spawn tmux ENOENT'), { code: 'ENOENT' });
    const status = detector(runner(tmuxOf('tmux 3.3a', gone)).run).status();
    await expect(status).rejects.toMatchObject({ code: 'unavailable' });
  });

  test.each([undefined, '', '/nowhere:.'])('is not there: PATH is %s', async (path) => {
    const tmux = detector(runner(tmuxOf('tmux 3.3a')).run, { env: () => ({ PATH: path }) });
    expect(await tmux.status()).toEqual(UNAVAILABLE);
    expect(await tmux.home()).toEqual({ fault: 'tmux was not found on PATH' });
  });

  test.each<[string, Answer, RegExp]>([
    ['fails', () => ({ exitCode: 1 }), /^\/.*tmux cannot be run$/],
    ['does not end', () => ({ exitCode: null }), /^\/.*tmux cannot be run$/],
    ['cannot be started', () => new Error('spawn ENOEXEC'), /^\/.*tmux cannot be run$/],
    ['is too old', tmuxOf('tmux 2.9'), /^tmux 2.9 is too old: 3.2 or later is required$/],
    ['is something else', tmuxOf('usage:'), /^tmux does not report its version$/],
  ])('is not there: the file found %s', async (_what, answer, fault) => {
    const tmux = detector(runner(answer).run);
    expect(await tmux.status()).toEqual(UNAVAILABLE);
    expect(await tmux.home()).toEqual({ fault: expect.stringMatching(fault) });
  });

  test('can host no terminals if its output cannot be held back, and is there all the same', async () => {
    const tmux = detector(runner(tmuxOf('tmux 3.3a')).run, { obstacle: 'no koffi' });
    expect(await tmux.status()).toMatchObject({ available: true });
    expect(await tmux.home()).toEqual({ fault: 'the output of tmux cannot be paused here: no koffi' });
  });
});

describe('the environment', () => {
  test('excludes the server that the service itself may run in', () => {
    const outer = { PATH: '/bin', TMUX: '/tmp/other,1,0', TMUX_PANE: '%1' };
    expect(tmuxEnvironment(outer)).toEqual({ PATH: '/bin', WSL_UTF8: '1' });
  });

  test.each([
    ['/run/sockets', '/run/sockets'],
    // The pty host runs in the root folder.
    ['sockets', '/sockets'],
    ['', ''],
  ])('names the folder of the sockets as the pty host has it: %j', (folder, same) => {
    expect(tmuxEnvironment({ TMUX_TMPDIR: folder }).TMUX_TMPDIR).toBe(same);
  });

  test('the line that joins a terminal by hand', () => {
    const line = `tmux -L ours attach -t '=${ONE}'`;
    expect(attachLine('ours', ONE, {})).toBe(line);
    expect(attachLine('ours', ONE, { TMUX_TMPDIR: '' })).toBe(line);
    expect(attachLine('ours', ONE, { TMUX_TMPDIR: "/it's here" })).toBe(
      `env TMUX_TMPDIR='/it'\\''s here' ${line}`,
    );
  });
});
