import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandList } from '#dist/contract/command.js';
import type { ProcessList } from '#dist/contract/system.js';
import { eventually } from '../support/processes.js';
import { openTerminal, type RunOptions, runIn, settleHome } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

/** Each shell, with its arguments, and how the end of a command is reported. */
const SHELLS = [
  ['bash', { command: ['bash'], told: { integration: 'bash', waitedBy: 'integration' } }],
  ['zsh', { command: ['zsh'], told: { integration: 'zsh', waitedBy: 'integration' } }],
  ['fish', { command: ['fish'], told: { integration: 'fish', waitedBy: 'integration' } }],
  ['dash', { command: ['dash'], told: { integration: 'none', waitedBy: 'sentinel' } }],
  ['mksh', { command: ['mksh'], told: { integration: 'none', waitedBy: 'sentinel' } }],
  ['busybox sh', { command: ['busybox', 'sh'], told: { integration: 'none', waitedBy: 'sentinel' } }],
  ['zsh without rc files', { command: ['zsh', '-f'], told: { integration: 'none', waitedBy: 'sentinel' } }],
] as const;

type Case = [name: string, command: string, exitCode: number, raw: string | RegExp];

/** Cases for every shell. */
const COMMON: Case[] = [
  ['an exit code', `sh -c 'exit 254'`, 254, ''],
  ['output without a final newline', 'printf "a  \\n\\n b"', 0, 'a  \n\n b'],
  ['lines, the last one counts', 'echo one\necho two\nfalse', 1, 'one\ntwo\n'],
  ['CR LF at the ends', 'echo one\r\necho two\r\n', 0, 'one\ntwo\n'],
  ['quotes', `echo 'it'"'"'s "so"' "and 'so'"`, 0, `it's "so" and 'so'\n`],
  ['backslashes', `printf '%s\\n' 'a\\b' "c\\\\d"`, 0, 'a\\b\nc\\d\n'],
  ['Unicode', `echo 'Grüße 日本語 🎉 e\u0301'`, 0, 'Grüße 日本語 🎉 e\u0301\n'],
  ['exclamation marks', `echo 'wow!!' '!x'`, 0, 'wow!! !x\n'],
  ['a line of 10,000 characters', `printf %s ${'x'.repeat(10_000)} | wc -c`, 0, /^ *10000\n$/],
  [
    'lines of 3,000 characters',
    `printf '%s\n' '${'é'.repeat(1_500)}\n${'y'.repeat(3_000)}' | wc -l`,
    0,
    /^ *2\n$/,
  ],
  ['what reads the terminal', `sh -c 'read x < /dev/null; echo $?'`, 0, '1\n'],
  ['a pipe', 'seq 3 | tail -1', 0, '3\n'],
  ['a signal', `sh -c 'kill -KILL $$'`, 137, /^(|[^\n]*Kill[\s\S]*)$/i],
  ['an unknown command', 'no-such-command-x', 127, /no-such-command-x/],
];

/** Cases for POSIX shells. */
const POSIX: Case[] = [
  ['a subshell', '(exit 3)', 3, ''],
  // fish drops pasted tabs.
  ['tabs', `printf '%s|' 'a\tb'\t\tc`, 0, 'a\tb|c|'],
  ['a here document', "cat <<'END'\nhere $x\n\t`y`\n\n  END\nEND", 0, 'here $x\n\t`y`\n\n  END\n'],
  ['a loop of several lines', 'for i in 1 2; do\n  echo "i$i"\ndone', 0, 'i1\ni2\n'],
  ['what stays', 'KEPT="a  b"; cd /', 0, ''],
  ['what has stayed', 'echo "$KEPT" "$PWD"; unset KEPT; cd', 0, 'a  b /\n'],
];

describe.each(SHELLS)('%s', (name, { command, told }) => {
  const open = () => openTerminal(used.api, [...command]);
  let id: string;
  beforeAll(async () => {
    id = await open();
  });
  const run = (line: string, options?: RunOptions) => runIn(used.api, id, line, options);
  const isIntegrated = told.waitedBy === 'integration';
  /** Checks that the shell is usable. */
  const works = async () =>
    expect(await run('echo works')).toMatchObject({ exitCode: 0, raw: 'works\n', ...told });

  it.each(name === 'fish' ? COMMON : [...COMMON, ...POSIX])(
    'exit code and output of %s',
    async (_name, line, exitCode, raw) => {
      const result = await run(line);
      expect(result).toMatchObject({ success: true, done: true, truncated: false, exitCode, ...told });
      if (typeof raw === 'string') expect(result.raw).toBe(raw);
      else expect(result.raw).toMatch(raw);
    },
  );

  it('a line that runs nothing is done, and has no exit code of its own', async () => {
    await run('false');
    const exitCode = isIntegrated ? null : 0;
    for (const line of [' ', '\n'])
      expect(await run(line)).toMatchObject({ success: true, done: true, exitCode, raw: '', ...told });
    await works();
  });

  it.each([['echo "abc'], ['if true; then'], ['echo five\necho "unfinished'], ['sleep 0.1\nif true; then']])(
    '%j is incomplete, and taken back',
    async (line) => {
      const result = await run(line);
      const error = 'The command is incomplete: the shell expects more of it';
      if (isIntegrated) expect(result).toMatchObject({ success: false, done: false, exitCode: null, error });
      // The line is a syntax error within `eval`, which ends the whole line in mksh.
      else expect(result).toMatchObject({ success: true, done: true, raw: expect.stringMatching(/\S/) });
      if (!isIntegrated && name !== 'mksh') expect(result.exitCode).toBeGreaterThan(0);
      await works();
    },
  );

  it('an incomplete line at its timeout is taken back by the next run', async () => {
    await run("echo 'abc", { timeoutMs: 200 });
    await works();
  });

  it('a syntax error leaves it usable', async () => {
    const { done, exitCode } = await run('echo )');
    expect([done, exitCode === 0]).toEqual([true, false]);
    await works();
  });

  it('Ctrl+C of another client ends the running command', async () => {
    const running = run('sleep 60');
    // Ctrl+C comes only once the command runs: shells may lose input while they start.
    await eventually('it runs', async () => {
      const { body } = await used.api.get<ProcessList>('/api/processes');
      return body.processes.find((entry) => entry.id === id)?.currentApp.name === 'sleep';
    });
    await used.api.post(`/api/terminals/${id}/keys`, { keys: ['ctrl+c'] });
    const { done, exitCode } = await running;
    // At Ctrl+C, shells without a line editor drop the whole line, and the sentinel with it.
    expect([done, isIntegrated ? exitCode : 130]).toEqual([true, 130]);
    await works();
  });

  it('a run right after typed input waits for it', async () => {
    await used.api.post(`/api/terminals/${id}/input`, { data: `sleep 0.4; sh -c 'exit 9'\r` });
    await works();
    await used.api.post(`/api/terminals/${id}/input`, { data: 'sleep 0.4\r' });
    const results = await Promise.all(['echo one', 'echo two'].map((line) => run(line)));
    expect(results.map(({ raw, exitCode }) => [raw, exitCode])).toEqual([
      ['one\n', 0],
      ['two\n', 0],
    ]);
  });

  it('a new shell gets its first commands whole', async () => {
    id = await open();
    expect(await run('echo first\necho second')).toMatchObject({
      exitCode: 0,
      raw: 'first\nsecond\n',
      ...told,
    });
  });

  it('lists the commands that ran', async () => {
    await run('echo listed; false');
    const { body } = await used.api.get<CommandList>(`/api/terminals/${id}/commands?limit=1`);
    expect(body.commands).toMatchObject([{ commandLine: 'echo listed; false', exitCode: 1 }]);
  });

  it.each([
    ['exit 3', 3],
    ['exec true', 0],
    ['exec false', 1],
  ])('%s ends the terminal: done, with its exit code', async (line, exitCode) => {
    id = await open();
    expect(await run(line)).toMatchObject({ success: true, done: true, exitCode });
  });
});
