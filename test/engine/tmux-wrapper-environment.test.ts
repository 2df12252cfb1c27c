import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/processes.js';
import { shellsAsSh, theTools, type Wrapped, WrapperRig } from '../support/wrapped-programs.js';

const [shells, removeShells] = shellsAsSh();
let rig: WrapperRig;
beforeAll(async () => {
  rig = await WrapperRig.start();
});
afterAll(async () => {
  await rig.end();
  removeShells();
});

const PATH = process.env.PATH ?? '';

/** Variables that people's environments contain, and that tmux or a shell would change or keep. */
const USUAL = {
  PATH: `/nowhere:${PATH}`,
  HOME: '/home/of/nobody',
  TERM: 'xterm-kitty',
  TERM_PROGRAM: 'auto-terminal',
  COLORTERM: '24bit',
  SHELL: '/bin/of/nobody',
  OLDPWD: '/gone',
  SHLVL: '4',
  IFS: ':',
  PS1: '$ ',
  PS4: '$(echo x) ',
  COLUMNS: '33',
  LINES: '44',
  ENV: '/gone/rc',
  BASH_ENV: '/gone/rc',
  LC_ALL: 'xx_YY.gone',
  LISTEN_PID: '1',
  TMUX: '/tmp/theirs,1,0',
  TMUX_PANE: '%9',
  pid: 'p',
  status: 's',
  message: 'm',
  AUTO_TERMINAL_PID: '7',
  AUTO_TERMINAL_REST: 'r',
  MULTILINE: ' two\nlines\r\n\n',
  QUOTES: `it's "$HOME" \`x\` \\ \\n ; #{pid} ~`,
  UTF8: 'grüße 🎉',
  EMPTY: '',
  LONG: 'x'.repeat(100_000),
};

/** Variables that shells use themselves; a shell ends when it rejects such a value. */
const UNBELIEVABLE = {
  OPTIND: 'x',
  LINENO: 'x',
  SECONDS: 'x',
  RANDOM: 'x',
  TMOUT: 'x',
  HISTSIZE: 'x',
  SHLVL: 'x',
};

/** Resolves with the environment that a program received. */
async function environmentOf(env: Record<string, string>, tools = theTools(), cwd = rig.folder) {
  const file = join(rig.folder, 'environ');
  const run = await rig.run({ file: '/bin/cp', args: ['/proc/self/environ', file], env, cwd }, tools);
  expect(await run.ended()).toEqual({ exitCode: 0, signal: 0 });
  expect(run.text).toBe('');
  await rig.close(run);
  const variables = readFileSync(file, 'utf8').split('\0').slice(0, -1);
  return Object.fromEntries(
    variables.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
}

describe.each(shells)('under $name, the environment of a program', ({ name, tools }) => {
  /** Returns the variables without `_`, which mksh passes to every program and bash to none. */
  const withoutLast = ({ _, ...rest }: Record<string, string>) => rest;

  test('is the requested variables and the folder, whatever tmux sets', async () => {
    const cwd = join(rig.folder, `a 'folder' #{pid} ü ${name}`, '..', `b-${name}`);
    mkdirSync(join(cwd, '..', `a 'folder' #{pid} ü ${name}`), { recursive: true });
    mkdirSync(cwd, { recursive: true });
    expect(withoutLast(await environmentOf(USUAL, tools, cwd))).toEqual({ ...USUAL, PWD: cwd });
  });

  test('is the folder alone if nothing was requested', async () => {
    expect(withoutLast(await environmentOf({}, tools))).toEqual({ PWD: rig.folder });
  });

  test('excludes everything at which a shell ends', async () => {
    const got = await environmentOf({ PATH, ...UNBELIEVABLE }, tools);
    expect(got).toMatchObject({ PATH, PWD: rig.folder });
    for (const [variable, value] of Object.entries(got)) {
      if (variable in UNBELIEVABLE) expect(value, variable).toBe('x');
    }
  });

  test('may contain names invalid to a shell, if there is a bash', async () => {
    const env = { PATH, 'A.B': 'dots', '1x': 'digit', ü: 'umlaut', 'BASH_FUNC_x%%': '() {  echo hi\n}' };
    expect(await environmentOf(env, { ...tools, bash: theTools().bash })).toEqual({
      ...env,
      PWD: rig.folder,
    });
  });

  test('is in no process table', async () => {
    const run = await rig.run(
      { file: '/bin/cat', env: { PATH, SECRET: 'secret-value', PS1: 'secret-prompt' } },
      tools,
    );
    await eventually('it runs', () => run.pid > 0);
    for (const pid of [run.pid, run.pane.leader]) {
      expect(readFileSync(`/proc/${pid}/cmdline`, 'latin1')).not.toMatch(/secret-/);
    }
    await rig.close(run);
  });
});

describe.each(shells)('under $name, a program', ({ tools }) => {
  const printed = async (run: Wrapped) => {
    await run.ended();
    await rig.close(run);
    return run.text;
  };

  test('has its terminal as standard input, output and error, and nothing else open', async () => {
    const run = await rig.run({ file: '/bin/ls', args: ['-l', '/proc/self/fd'] }, tools);
    const files = [...(await printed(run)).matchAll(/(\d+) -> (\S+)/g)].map(
      ([, fd, path]) => `${fd} ${path}`,
    );
    const { terminal } = run.pane;
    expect(files.slice(0, 3)).toEqual([`0 ${terminal}`, `1 ${terminal}`, `2 ${terminal}`]);
    // Descriptor 3 is the folder that ls reads.
    expect(files.slice(3)).toEqual([expect.stringMatching(/^3 \/proc\/\d+\/fd$/)]);
  });

  test('blocks no signal, and ignores none but what tmux does', async () => {
    const run = await rig.run({ file: '/bin/grep', args: ['Sig[BI]', '/proc/self/status'] }, tools);
    const [, blocked = '', ignored = ''] = /SigBlk:\s+(\w+)\s+SigIgn:\s+(\w+)/.exec(await printed(run)) ?? [];
    expect(BigInt(`0x${blocked}`)).toBe(0n);
    const TTIN_AND_TTOU = 0b11n << 20n;
    expect(BigInt(`0x${ignored}`) & ~TTIN_AND_TTOU).toBe(0n);
  });
});
