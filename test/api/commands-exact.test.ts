import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Sample, type Shell, samples } from '../support/shell-commands.js';
import { useService } from '../support/use-service.js';

const COMMANDS = 500;

interface Ran {
  results: Array<{
    success: boolean;
    done: boolean;
    exitCode: number | null;
    raw: string;
    truncated: boolean;
    waitedBy: string;
  }>;
}

/** A prompt of two lines and hooks of the user's, as their rc files have them. */
const RC: Record<Shell, { file: string; text: string }> = {
  bash: {
    file: '.bashrc',
    text: `PROMPT_COMMAND='mine=$?; PS1="\\w [$mine]\\n\\$ "'\nPS0='\${STARTED:$((STARTED=1,0)):0}'\n`,
  },
  zsh: { file: '.zshrc', text: `precmd() { mine=$? }\nsetopt prompt_subst\nPROMPT='%~ [$mine]\n%# '\n` },
  fish: { file: 'config.fish', text: 'function fish_prompt; echo (pwd) "[$status]"; echo "> "; end\n' },
};

describe.each<Shell>(['bash', 'zsh', 'fish'])('%s', (shell) => {
  const used = useService();
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

  async function terminal(): Promise<string> {
    const home = await mkdtemp(join(tmpdir(), 'at-shell-'));
    folders.push(home);
    await writeFile(join(home, RC[shell].file), RC[shell].text);
    const config = shell === 'fish' ? ['--init-command', `source ${join(home, 'config.fish')}`] : [];
    const { body } = await used.api.post<{ id: string }>('/api/terminals', {
      command: [shell, ...config],
      env: { HOME: home, ZDOTDIR: home },
      cwd: home,
    });
    return body.id;
  }

  async function run(id: string, command: string) {
    const { status, body } = await used.api.post<Ran>('/api/terminals/batch/run', {
      ...{ terminalIds: [id], command, timeoutMs: 20_000, maxBytes: 1_000_000 },
    });
    expect(status).toBe(200);
    return body.results[0]!;
  }

  it(`gives exit code and output of ${COMMANDS} random commands`, { timeout: 240_000 }, async () => {
    const id = await terminal();
    const wrong: Array<{ sample: Sample; got: unknown }> = [];
    for (const sample of samples(shell, COMMANDS, 20_261_121)) {
      const got = await run(id, sample.command);
      const isOutput =
        typeof sample.output === 'string' ? got.raw === sample.output : sample.output.test(got.raw);
      const isRight = got.done && got.waitedBy === 'integration' && got.exitCode === sample.exitCode;
      if (!isRight || !isOutput) wrong.push({ sample, got });
      if (wrong.length > 5) break;
    }
    expect(wrong).toEqual([]);
  });
});
