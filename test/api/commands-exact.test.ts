import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Sample, type Shell, samples } from '../support/shell-commands.js';
import { useSharedService } from '../support/use-service.js';

const COMMANDS = 200;

interface Waited {
  done: boolean;
  exitCode?: number | null;
  waitedBy?: string;
}

interface Listed {
  id: string;
  exitCode: number | null;
}

interface Ran extends Waited {
  /** Exit code in the wait's answer. */
  waitedFor?: number | null | undefined;
  output: string;
}

/** rc file of each shell, with a prompt of two lines and the user's hooks. */
const RC: Record<Shell, { file: string; text: string }> = {
  bash: {
    file: '.bashrc',
    text: `PROMPT_COMMAND='mine=$?; PS1="\\w [$mine]\\n\\$ "'\nPS0='\${STARTED:$((STARTED=1,0)):0}'\n`,
  },
  zsh: { file: '.zshrc', text: `precmd() { mine=$? }\nsetopt prompt_subst\nPROMPT='%~ [$mine]\n%# '\n` },
  fish: {
    file: '.config/fish/config.fish',
    text: 'set fish_greeting\nfunction fish_prompt; echo (pwd) "[$status]"; echo "> "; end\n',
  },
};

/** Shells report background jobs at any time, also after or within the output of a later command. */
const REPORT = /^\[\d+\] \d+\n|\[\d+\] *[+-]? +(\d+ )?(Done|done)\b.*\n/gm;
/** fish reports on a line of its own, whether or not the line before the report has ended. */
const FISH_REPORTS = /(^|\n)(?:\n*fish: Job \d+, .* has ended\n+)+/g;

function isOutput(output: string, expected: string | RegExp): boolean {
  const told = output.replace(REPORT, '').replace(FISH_REPORTS, '$1');
  if (typeof expected !== 'string') return expected.test(told);
  const lines = (text: string) => text.replace(/\n$/, '');
  return told === expected || (output.match(FISH_REPORTS) !== null && lines(told) === lines(expected));
}

describe.each<Shell>(['bash', 'zsh', 'fish'])('%s', (shell) => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
  // The service ends before the folders are removed.
  const used = useSharedService();

  async function terminal(): Promise<string> {
    const home = await mkdtemp(join(tmpdir(), 'at-shell-'));
    folders.push(home);
    const rc = join(home, RC[shell].file);
    await mkdir(dirname(rc), { recursive: true });
    await writeFile(rc, RC[shell].text);
    // Without this folder, fish begins to make completions and is still busy when the home is removed.
    await mkdir(join(home, '.local/share/fish/generated_completions'), { recursive: true });
    const { body } = await used.api.post<{ id: string }>('/api/terminals', {
      command: [shell],
      env: { HOME: home, ZDOTDIR: home },
      cwd: home,
    });
    return body.id;
  }

  async function run(id: string, command: string): Promise<Ran> {
    await used.api.post(`/api/terminals/${id}/execute`, { prompt: command, cliType: 'default' });
    const wait = await used.api.post<Waited>(`/api/terminals/${id}/wait`, {
      ...{ until: 'command', timeoutMs: 20_000 },
    });
    const list = await used.api.get<{ commands: Listed[] }>(`/api/terminals/${id}/commands?limit=1`);
    const [last] = list.body.commands;
    const output = await used.api.get<{ raw: string }>(`/api/terminals/${id}/commands/${last?.id}/output`);
    return {
      ...wait.body,
      exitCode: last?.exitCode,
      waitedFor: wait.body.exitCode,
      output: output.body.raw,
    };
  }

  it(`returns exit code and output of ${COMMANDS} random commands`, async () => {
    const id = await terminal();
    const wrong: Array<{ sample: Sample; got: unknown }> = [];
    for (const sample of samples(shell, COMMANDS, 20_261_121)) {
      const got = await run(id, sample.command);
      const isRight =
        got.done &&
        got.waitedBy === 'integration' &&
        [got.exitCode, got.waitedFor].every((code) => code === sample.exitCode);
      if (!isRight || !isOutput(got.output, sample.output)) wrong.push({ sample, got });
      if (wrong.length > 5) break;
    }
    expect(wrong).toEqual([]);
  });
});
