import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandList } from '#dist/contract/command.js';
import { openTerminal, runIn, settleHome } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const used = useService();
beforeAll(() => settleHome(used.service.home));

type Case = [command: string, exitCode: number | null, raw: string | RegExp];

/** Commands that integrated shells refuse, with exit code and message, at a prompt with exit code 0. */
const REFUSED: Record<string, Case[]> = {
  bash: [
    ['echo )', 2, "bash: syntax error near unexpected token `)'\n"],
    ['for', 2, "bash: syntax error near unexpected token `newline'\n"],
    ['echo hi; )', 2, "bash: syntax error near unexpected token `)'\n"],
    ['echo "grüße 日本"; )', 2, "bash: syntax error near unexpected token `)'\n"],
    ['!nosuchevent', null, 'bash: !nosuchevent: event not found\n'],
  ],
  zsh: [
    ['echo )', 1, "zsh: parse error near `)'\n"],
    ['for', 1, "zsh: parse error near `\\n'\n"],
    ['echo a\necho )', 1, "zsh: parse error near `)'\n"],
    ['!nosuchevent', 1, 'zsh: event not found: nosuchevent\n'],
  ],
  fish: [
    ['echo )', null, /^fish: [^\n]+\necho \)\n {5}\^\n$/],
    ['echo "$((1+1))"', null, /^fish: [^\n]+\necho "\$\(\(1\+1\)\)"\n +[\^~]+\n$/],
    ['echo a\necho )', null, /^fish: [^\n]+\necho \)\n {5}\^\n$/],
  ],
};

/** Lines that also run nothing, but are no error. */
const NOTHING: Record<string, string[]> = {
  bash: [' ', '# a comment', '\n', '# one\n\t# two', '# echo: )'],
  zsh: [' ', '\n'],
  fish: [' ', '# a comment', '\n', '# one\n\t# two', '; # echo: )'],
};

describe.each(Object.keys(REFUSED))('%s', (shell) => {
  let id: string;
  beforeAll(async () => {
    id = await openTerminal(used.api, [shell]);
  });
  const run = (command: string) => runIn(used.api, id, command);
  const lastListed = async () => {
    const { body } = await used.api.get<CommandList>(`/api/terminals/${id}/commands?limit=1`);
    return body.commands.map(({ commandLine, exitCode }) => [commandLine, exitCode]);
  };

  it.each(REFUSED[shell]!)('refuses %j: an error, with its message and its status', async (...refused) => {
    const [command, exitCode, raw] = refused;
    await run('echo before');
    const failure = { error: 'The shell did not run the command', code: 'command-refused' };
    const result = await run(command);
    expect(result).toEqual({
      ...{ terminalId: id, success: false, done: true, exitCode, durationMs: null, ...failure },
      ...(exitCode === null && { reason: 'refused' }),
      ...{ truncated: false, integration: shell, waitedBy: 'integration', raw: expect.any(String) },
    });
    if (typeof raw === 'string') expect(result.raw).toBe(raw);
    else expect(result.raw).toMatch(raw);
    expect(await lastListed()).toEqual([['echo before', 0]]);
    expect(await run('echo works')).toMatchObject({ success: true, exitCode: 0, raw: 'works\n' });
  });

  it.each(NOTHING[shell]!)('%j is no error, also after one, and has no exit code', async (command) => {
    for (const before of ['echo )', 'false', 'true']) {
      await run(before);
      const listed = await lastListed();
      const result = await run(command);
      expect(result).toMatchObject({
        success: true,
        done: true,
        exitCode: null,
        reason: 'nothing-ran',
        raw: '',
      });
      expect(result).not.toHaveProperty('error');
      expect(await lastListed()).toEqual(listed);
    }
  });

  it('counts as failed, and as done', async () => {
    const { body } = await used.api.post('/api/terminals/batch/run', {
      ...{ terminalIds: [id], command: 'echo )', timeoutMs: 30_000 },
    });
    expect(body).toMatchObject({ summary: { total: 1, succeeded: 0, failed: 1, done: 1, zero: 0 } });
  });
});

it('bash without bracketed paste refuses a command', async () => {
  const id = await openTerminal(used.api, ['bash']);
  await runIn(used.api, id, 'bind "set enable-bracketed-paste off"');
  for (const [command, exitCode, raw] of REFUSED.bash!.slice(0, 3)) {
    expect(await runIn(used.api, id, command)).toMatchObject({ success: false, done: true, exitCode, raw });
    // The same status a second time could be the status of the previous command.
    expect(await runIn(used.api, id, command)).toMatchObject({ exitCode: null, reason: 'refused', raw });
    await runIn(used.api, id, 'true');
  }
  const [command, exitCode, raw] = REFUSED.bash!.at(-1)!;
  expect(await runIn(used.api, id, command)).toMatchObject({ success: false, done: true, exitCode, raw });
  expect(await runIn(used.api, id, '# a comment')).toMatchObject({ success: true, raw: '' });
});

// The parser of bash mistakes the `[[` that follows such an error, so each line has a shell of its own.
describe.each(['true', 'false'])('bash, whose status after %s stays as it was,', (before) => {
  it.each([
    ['[[ a b ]]', 'conditional binary operator expected'],
    ['[[ a = ]]', "unexpected argument `]]' to conditional binary operator"],
    ['[[ a\necho hi', "unexpected token `newline', conditional binary operator expected"],
    ['echo hi; [[ a b ]]', 'conditional binary operator expected'],
  ])('refuses %j', async (command, message) => {
    const id = await openTerminal(used.api, ['bash', '-i']);
    await runIn(used.api, id, before);
    expect(await runIn(used.api, id, command)).toMatchObject({
      ...{ success: false, done: true, exitCode: null, reason: 'refused', code: 'command-refused' },
      raw: `bash: ${message}\n`,
    });
    expect(await runIn(used.api, id, 'echo works')).toMatchObject({ success: true, raw: 'works\n' });
  });

  it('reports only that nothing ran where bash refuses without a message', async () => {
    const id = await openTerminal(used.api, ['bash', '-i']);
    await runIn(used.api, id, before);
    const nothing = { done: true, exitCode: null, reason: 'nothing-ran', raw: '' };
    expect(await runIn(used.api, id, '[[ ]]')).toMatchObject(nothing);
  });
});

// fish takes such a line for complete, and yet its editor waits for the remainder.
describe('fish, of a line that ends in a backslash,', () => {
  let id: string;
  beforeAll(async () => {
    id = await openTerminal(used.api, ['fish']);
  });
  const run = (command: string) => runIn(used.api, id, command);

  it.each(['\\', 'echo a \\', 'true; \\', 'echo a\n\\', "echo 'a' \\\n", 'echo a\\\\\\'])(
    'says that %j is incomplete',
    async (command) => {
      const incomplete = { success: false, exitCode: null, reason: 'incomplete', raw: '' };
      expect(await run(command)).toMatchObject(incomplete);
      expect(await run('echo works')).toMatchObject({ success: true, exitCode: 0, raw: 'works\n' });
    },
  );

  it.each(['echo ) \\', 'echo ) # b \\'])('refuses %j', async (command) => {
    const refused = {
      success: false,
      reason: 'refused',
      raw: expect.stringMatching(/^fish: Unexpected '\)'/),
    };
    expect(await run(command)).toMatchObject(refused);
    expect(await run('echo works')).toMatchObject({ success: true, exitCode: 0, raw: 'works\n' });
  });

  it.each([
    ['echo a # b \\', 'a\n'],
    ['echo a\\\\', 'a\\\n'],
    ["echo 'a\\\\'", 'a\\\n'],
  ])('runs %j', async (command, raw) => {
    expect(await run(command)).toMatchObject({ success: true, exitCode: 0, raw });
  });
});

it.each([
  ['bash', "bash: syntax error near unexpected token `)'\n"],
  ['zsh', "zsh: parse error near `)'\n"],
])('%s refuses a line of many rows', async (shell, raw) => {
  const id = await openTerminal(used.api, [shell]);
  const result = await runIn(used.api, id, `echo ${'x'.repeat(20_000)} "日本 )" )`);
  expect(result).toMatchObject({ success: false, done: true, raw, truncated: false });
});

it('a line that runs nothing is no error to a bash with a trap, hooks and a first prompt that print', async () => {
  const id = await openTerminal(used.api, ['bash']);
  await runIn(used.api, id, "alias nop='' remark='#'; PS0='ps0: a\\n'; PROMPT_COMMAND='echo hook: b'");
  for (const trap of ['trap -- DEBUG', "trap 'echo debug $BASH_COMMAND' DEBUG"]) {
    await runIn(used.api, id, trap);
    for (const before of ['(exit 1)', 'true'])
      for (const command of ['nop', 'remark )', '# echo: )', ' ']) {
        await runIn(used.api, id, before);
        const result = await runIn(used.api, id, command);
        expect([trap, before, command, result]).toMatchObject([
          ...[trap, before, command],
          { success: true, exitCode: null, reason: 'nothing-ran' },
        ]);
      }
    await runIn(used.api, id, 'true');
    expect(await runIn(used.api, id, '[[ a b ]]')).toMatchObject({ success: false, code: 'command-refused' });
    await runIn(used.api, id, 'true');
  }
});

it('a comment is no error to a zsh with comments enabled', async () => {
  const id = await openTerminal(used.api, ['zsh']);
  await runIn(used.api, id, 'setopt interactivecomments; precmd() { echo a hook }');
  for (const before of ['echo )', 'true']) {
    await runIn(used.api, id, before);
    expect(await runIn(used.api, id, '# a comment')).toMatchObject({ success: true, raw: '' });
  }
});

it('a refused command of fleet/execute has ended with its status', async () => {
  const id = await openTerminal(used.api, ['bash']);
  const body = { terminalId: id, command: 'echo )', timeoutMs: 30_000 };
  expect((await used.api.post('/api/fleet/execute', body)).body).toMatchObject({
    ...{ done: true, exitCode: 2, screen: expect.stringContaining('bash: syntax error near') },
  });
});

it("bash's refusal of one of several lines is in the output, among that of the others", async () => {
  const id = await openTerminal(used.api, ['bash']);
  const message = "bash: syntax error near unexpected token `)'\n";
  const cases = [
    ['echo a\necho )', `a\n${message}`, 2],
    ['echo )\necho b', `${message}b\n`, 0],
    ['echo a\necho )\necho b', `a\n${message}b\n`, 0],
    ['# a comment\nfalse\necho c', 'c\n', 0],
    ['echo a\n[[ b c ]]', 'a\nbash: conditional binary operator expected\n', 0],
  ] as const;
  for (const [command, raw, exitCode] of cases) {
    const result = await runIn(used.api, id, command);
    expect(result).toMatchObject({ success: true, done: true, exitCode, raw });
  }
});

it.each([' ', '# a comment'])(
  'dash, between marks, ends %j with the exit code of an empty eval',
  async (line) => {
    const id = await openTerminal(used.api, ['dash']);
    await runIn(used.api, id, 'false');
    expect(await runIn(used.api, id, line)).toMatchObject({
      success: true,
      done: true,
      exitCode: 0,
      raw: '',
    });
  },
);

it.each(['echo )', 'for'])('dash, between marks, ends %j with its message and an exit code', async (line) => {
  const id = await openTerminal(used.api, ['dash']);
  const result = await runIn(used.api, id, line);
  expect(result).toMatchObject({ success: true, done: true, exitCode: 2, waitedBy: 'sentinel' });
  expect(result.raw).toMatch(/^dash: .*Syntax error: /);
});
