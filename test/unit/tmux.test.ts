import { describe, expect, test } from 'vitest';
import type { ProgramResult, RunProgram } from '#dist/actors/run-program.js';
import { runProgram } from '#dist/actors/run-program.js';
import { TmuxDetector } from '#dist/actors/tmux.js';

interface Call {
  line: string;
  env: NodeJS.ProcessEnv;
}

/** Answers each command line by the function, and keeps what was asked. */
function runner(answer: (line: string) => Partial<ProgramResult> | Error) {
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

const UNAVAILABLE = { available: false, tmux_path: '', wsl_distro: null, active_sessions: 0 };

describe('tmux in a WSL distribution', () => {
  const distros = (names: string[], encoding: BufferEncoding) => ({
    stdout: Buffer.from(`\ufeff${names.join('\r\n')}\r\n`, encoding),
  });

  test.each<BufferEncoding>(['utf16le', 'utf8'])(
    'is found in the first that has it (%s)',
    async (encoding) => {
      const { calls, run } = runner((line) => {
        if (line === 'wsl.exe --list --quiet')
          return distros(['docker-desktop', 'Alpine', 'Ubuntu-24.04'], encoding);
        if (line.includes('Alpine')) return { exitCode: 127 };
        return { stdout: Buffer.from(line.endsWith('-V') ? 'tmux 3.4\n' : '$0\n$3\n') };
      });
      const tmux = new TmuxDetector({ platform: 'win32', env: {}, run });
      const found = { available: true, tmux_path: 'wsl.exe', wsl_distro: 'Ubuntu-24.04', active_sessions: 2 };
      expect(await tmux.status()).toEqual(found);
      expect(await tmux.status()).toEqual(found);
      const inUbuntu = 'wsl.exe --distribution Ubuntu-24.04 --exec tmux';
      expect(calls.map(({ line }) => line)).toEqual([
        'wsl.exe --list --quiet',
        'wsl.exe --distribution Alpine --exec tmux -V',
        `${inUbuntu} -V`,
        `${inUbuntu} list-sessions -F #{session_id}`,
        `${inUbuntu} list-sessions -F #{session_id}`,
      ]);
    },
  );

  test.each<[string, (line: string) => Partial<ProgramResult> | Error]>([
    ['no WSL', () => Object.assign(new Error('spawn wsl.exe ENOENT'), { code: 'ENOENT' })],
    ['WSL without a distribution', () => ({ exitCode: 1 })],
    [
      'a distribution without tmux',
      (line) => (line.includes('--list') ? distros(['Ubuntu'], 'utf8') : { exitCode: 1 }),
    ],
  ])('is not there: %s', async (_what, answer) => {
    const tmux = new TmuxDetector({ platform: 'win32', env: {}, run: runner(answer).run });
    expect(await tmux.status()).toEqual(UNAVAILABLE);
  });
});

describe('native tmux', () => {
  const env = { PATH: process.env.PATH, TMUX: '/tmp/other,1,0', TMUX_PANE: '%1', TMUX_TMPDIR: '/tmp' };

  test('is asked without the server that the service itself may run in', async () => {
    const { calls, run } = runner(() => ({ stdout: Buffer.from('$0\n') }));
    const status = await new TmuxDetector({ platform: 'linux', env, run }).status();
    expect(status).toMatchObject({ available: true, active_sessions: 1, wsl_distro: null });
    expect(calls.map(({ line }) => line)).toEqual([
      `${status.tmux_path} -V`,
      `${status.tmux_path} list-sessions -F #{session_id}`,
    ]);
    for (const call of calls) {
      expect(call.env).not.toHaveProperty('TMUX');
      expect(call.env).not.toHaveProperty('TMUX_PANE');
      expect(call.env.TMUX_TMPDIR).toBe('/tmp');
    }
  });

  test('has no sessions where no server runs', async () => {
    const { run } = runner((line) => (line.endsWith('-V') ? {} : { exitCode: 1 }));
    const status = await new TmuxDetector({ platform: 'linux', env, run }).status();
    expect(status).toMatchObject({ available: true, active_sessions: 0 });
  });

  test('that does not answer in time is an error', async () => {
    const { run } = runner((line) => (line.endsWith('-V') ? {} : { exitCode: null }));
    const status = new TmuxDetector({ platform: 'linux', env, run }).status();
    await expect(status).rejects.toMatchObject({ code: 'unavailable', message: 'tmux does not answer' });
  });

  test('that has gone since the start is an error', async () => {
    const gone = Object.assign(new Error('spawn tmux ENOENT'), { code: 'ENOENT' });
    const { run } = runner((line) => (line.endsWith('-V') ? {} : gone));
    const status = new TmuxDetector({ platform: 'linux', env, run }).status();
    await expect(status).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is not there: not on PATH, or nothing that runs', async () => {
    const failing = [runner(() => ({ exitCode: 1 })), runner(() => new Error('spawn ENOEXEC'))];
    for (const { run } of failing) {
      for (const PATH of [undefined, '', '/nowhere:.', env.PATH]) {
        expect(await new TmuxDetector({ platform: 'linux', env: { PATH }, run }).status()).toEqual(
          UNAVAILABLE,
        );
      }
    }
  });
});

describe('a program', () => {
  const options = { env: process.env, deadlineMs: 10_000 };

  test('is run with its arguments as they are, and its end is told', async () => {
    const done = await runProgram('printf', ['%s', '$HOME #{x}'], options);
    expect([done.exitCode, done.stdout.toString()]).toEqual([0, '$HOME #{x}']);
    expect((await runProgram('sh', ['-c', 'exit 7'], options)).exitCode).toBe(7);
  });

  test('past its deadline is killed', async () => {
    const ended = await runProgram('sleep', ['1000'], { ...options, deadlineMs: 50 });
    expect(ended.exitCode).toBeNull();
  });

  test('that cannot be started is an error', async () => {
    await expect(runProgram('/gone/program', [], options)).rejects.toThrow('ENOENT');
  });
});
