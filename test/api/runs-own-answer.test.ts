import { beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '#dist/contract/run.js';
import type { WaitAnswer } from '#dist/contract/wait.js';
import { eventually } from '../support/processes.js';
import { commandsIn, openTerminal, runIn, settleHome, shownIn } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

/** A run's answer is about its own line, whichever clients type, and whatever the shell's line contains. */

const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

const SHELLS = ['bash', 'zsh', 'fish'];

async function openShell(shell: string): Promise<string> {
  const id = await openTerminal(used.api, [shell]);
  await runIn(used.api, id, 'true');
  return id;
}

const type = (id: string, data: string) => used.api.post(`/api/terminals/${id}/input`, { data });

const shown = (id: string) => shownIn(used.api, id);
const commandsOf = (id: string) => commandsIn(used.api, id);

const exit = (code: number) => `sh -c "exit ${code}"`;

describe.each(SHELLS)('%s: the answer is of the own command', (shell) => {
  it('while another client executes', async () => {
    const id = await openShell(shell);
    const run = runIn(used.api, id, `sleep 0.4; ${exit(3)}`);
    await eventually('it runs', async () => (await commandsOf(id)).at(-1)?.endsWith('= null') ?? false);
    await used.api.post(`/api/terminals/${id}/execute`, { prompt: exit(9), cliType: 'default' });
    expect(await run).toMatchObject({ success: true, done: true, exitCode: 3 });
    await eventually('the other has ended', async () => (await commandsOf(id))[2]?.endsWith('= 9') ?? false);
    expect(await commandsOf(id)).toEqual(['true = 0', `sleep 0.4; ${exit(3)} = 3`, `${exit(9)} = 9`]);
  });

  it('while a user types keys, before and after it', async () => {
    const id = await openShell(shell);
    await type(id, `sleep 0.2; ${exit(7)}\r`);
    const run = runIn(used.api, id, exit(4));
    await type(id, `${exit(5)}\r`);
    expect(await run).toMatchObject({ success: true, done: true, exitCode: 4 });
    await eventually('all have ended', async () => {
      const commands = await commandsOf(id);
      return commands.length === 4 && !commands.some((command) => command.endsWith('= null'));
    });
    const lines = (await commandsOf(id)).slice(1);
    expect(new Set(lines)).toEqual(
      new Set([`sleep 0.2; ${exit(7)} = 7`, `${exit(4)} = 4`, `${exit(5)} = 5`]),
    );
  });

  it('of twenty at once, each its own', async () => {
    const id = await openShell(shell);
    const codes = Array.from({ length: 20 }, (_, index) => index + 1);
    const results = await Promise.all(codes.map((code) => runIn(used.api, id, exit(code))));
    expect(results.map(({ exitCode }) => exitCode)).toEqual(codes);
  });
});

/** Text that is already typed when the run comes, and the line that shows once the text is back. */
const DRAFTS: Record<string, Record<string, { typed: string; setUp?: string; line?: RegExp }>> = {
  bash: {
    'a half-typed line': { typed: 'rm -rf /tmp/x/ ' },
    'the cursor in its midst': { typed: 'touch /nowhere\x1b[D\x1b[D' },
    'reverse search': { typed: '\x12zzz', line: /^/ },
    'quoted insert': { typed: 'touch a\x16' },
    'a line of the history': { typed: '\x1b[A', line: /true/ },
    'vi insert mode': { setUp: 'set -o vi', typed: 'touch /nowhere' },
    'vi command mode': { setUp: 'set -o vi', typed: 'touch /nowhere\x1b' },
    'vi with a pending operator': { setUp: 'set -o vi', typed: 'touch /nowhere\x1bd' },
  },
  zsh: {
    'a half-typed line': { typed: 'rm -rf /tmp/x/ ' },
    'the cursor in its midst': { typed: 'touch /nowhere\x1b[D\x1b[D' },
    'reverse search': { typed: '\x12zzz', line: /^/ },
    'quoted insert': { typed: 'touch a\x16' },
    'a line of the history': { typed: '\x1b[A', line: /true/ },
    'vi insert mode': { setUp: 'bindkey -v', typed: 'touch /nowhere' },
    'vi command mode': { setUp: 'bindkey -v', typed: 'touch /nowhere\x1b' },
  },
  fish: {
    'a half-typed line': { typed: 'rm -rf /tmp/x/ ' },
    'the cursor in its midst': { typed: 'touch /nowhere\x1b[D\x1b[D' },
    'vi insert mode': { setUp: 'fish_vi_key_bindings', typed: 'touch /nowhere' },
  },
};

describe.each(SHELLS)('%s: the text in its line is not run, and comes back', (shell) => {
  it.each(Object.entries(DRAFTS[shell]!))('%s', async (_name, { typed, setUp, line }) => {
    const id = await openShell(shell);
    if (setUp) await runIn(used.api, id, setUp);
    await type(id, typed);
    const text = typed.replace(/[\x00-\x1f]\[?[A-Zd]?/g, '').trim();
    if (line === undefined)
      await eventually('the draft is shown', async () => (await shown(id)).includes(text));
    const before = (await commandsOf(id)).length;
    const result = await runIn(used.api, id, `echo own; ${exit(3)}`);
    if (result.success) {
      expect(result).toMatchObject({ done: true, exitCode: 3, raw: 'own\n' });
      expect((await commandsOf(id)).slice(before)).toEqual([`echo own; ${exit(3)} = 3`]);
      const isBack = async () => {
        const last = (await shown(id)).split('\n').at(-1) ?? '';
        return line ? line.test(last) : last.includes(text);
      };
      await eventually('the draft is back', isBack);
    } else {
      expect(result).toMatchObject({ done: false, exitCode: null, reason: 'not-typed' });
      expect((await commandsOf(id)).slice(before)).toEqual([]);
    }
  });
});

it.each([[['dash']], [['bash', '--noediting']]])(
  '%j: a half-typed line that Ctrl+D has handed to the shell is not run',
  async (command) => {
    const id = await openTerminal(used.api, command);
    await runIn(used.api, id, 'true');
    await type(id, 'echo half-ty""ped ');
    await type(id, '\x04');
    const result = await runIn(used.api, id, 'echo own');
    expect(result).toMatchObject({ success: false, exitCode: null, reason: 'not-typed' });
    expect(await shown(id)).not.toContain('half-typed');
  },
);

describe('an unknown result', () => {
  it.each([
    ['bash', 'unset PROMPT_COMMAND PS0 PS1; touch ran'],
    ['bash', 'exec bash --norc'],
    ['zsh', 'exec bash --norc'],
    ['fish', 'exec bash --norc'],
  ])('in %s, after %j, is reported as unknown; nothing is typed', async (shell, command) => {
    const id = await openShell(shell);
    const result = await runIn(used.api, id, command);
    expect(result).toMatchObject({
      ...{ success: true, done: true, exitCode: null, reason: 'untold', waitedBy: 'foreground' },
    });
    expect(await shown(id)).not.toContain('^C');
  });

  it.each([
    ['true', '[[ a'],
    ['false', '[[ a && b'],
    ['true', '[[ -f'],
    ['true', '[[ a =='],
    ['true', 'echo hi; [[ a'],
  ])('in bash, after %j, of %j: refused, and the next run is not dropped', async (before, command) => {
    const id = await openShell('bash');
    await runIn(used.api, id, before);
    expect(await runIn(used.api, id, command)).toMatchObject({
      ...{ success: false, done: true, exitCode: null, reason: 'refused', code: 'command-refused' },
      raw: expect.stringMatching(/^bash: (unexpected|syntax error)[^\n]*newline'[^\n]*\n$/),
    });
    expect(await runIn(used.api, id, 'echo works')).toMatchObject({ exitCode: 0, raw: 'works\n' });
  });

  it.each(SHELLS)('in %s, of an incomplete command, is reported as incomplete', async (shell) => {
    const id = await openShell(shell);
    const result = await runIn(used.api, id, 'echo "never closed');
    expect(result).toMatchObject({ success: false, exitCode: null, reason: 'incomplete' });
    expect(await runIn(used.api, id, exit(6))).toMatchObject({ success: true, exitCode: 6 });
  });
});

describe('a command', () => {
  it.each(['\0', '\x03', '\x04', '\x11', '\x13', '\x1a', '\x1c'])('with %j is refused', async (character) => {
    const id = await openTerminal(used.api, ['bash']);
    const command = `true${character}; (exit 3)`;
    for (const [path, body] of [
      ['/api/terminals/batch/run', { terminalIds: [id], command }],
      ['/api/fleet/execute', { terminalId: id, command }],
    ] as const) {
      const { status, body: answer } = await used.api.post<{ error: string }>(path, body);
      expect([status, answer.error]).toEqual([400, expect.stringContaining('U+00')]);
    }
  });

  it.each(SHELLS)('in %s may have lines, tabs, quotes and escapes', async (shell) => {
    const id = await openShell(shell);
    const command = `printf '%s|' "a\tb" 'c"d' '\x1b[31m'\nprintf 'x\\n'`;
    const { success, raw }: RunResult = await runIn(used.api, id, command);
    expect([success, raw]).toEqual([true, expect.stringMatching(/^a( +|\t)b\|c"d\|\|x\n$/)]);
  });
});

describe.each(SHELLS)('%s: a wait for a command', (shell) => {
  async function answerAfter(line: string): Promise<WaitAnswer> {
    const id = await openShell(shell);
    await runIn(used.api, id, exit(5));
    await type(id, `${line}\r`);
    const wait = { until: 'command', timeoutMs: 20_000 };
    return (await used.api.post<WaitAnswer>(`/api/terminals/${id}/wait`, wait)).body;
  }

  it.each(['echo "hi !there"', ')'])(
    'after %j, which the shell refuses, ends without a code',
    async (line) => {
      const answer = await answerAfter(line);
      if (shell === 'fish' && line !== ')') expect(answer).toMatchObject({ done: true, exitCode: 0 });
      else expect(answer).toMatchObject({ done: true, exitCode: null, exitCodeReason: 'nothing-ran' });
    },
  );

  // zsh takes what looks like a comment for a command, unless it is told otherwise.
  it.each(shell === 'zsh' ? ['   '] : ['   ', '# comment'])('after %j ends without a code', async (line) => {
    const answer = { done: true, exitCode: null, exitCodeReason: 'nothing-ran' };
    expect(await answerAfter(line)).toMatchObject(answer);
  });
});
