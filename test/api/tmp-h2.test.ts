import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Shell, samples } from '../support/shell-commands.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const RC: Record<Shell, { file: string; text: string }> = {
  bash: { file: '.bashrc', text: `PROMPT_COMMAND='mine=$?; PS1="\\w [$mine]\\n\\$ "'\nPS0='\${STARTED:$((STARTED=1,0)):0}'\n` },
  zsh: { file: '.zshrc', text: `precmd() { mine=$? }\nsetopt prompt_subst\nPROMPT='%~ [$mine]\n%# '\n` },
  fish: { file: 'config.fish', text: 'function fish_prompt; echo (pwd) "[$status]"; echo "> "; end\n' },
};
describe.each<Shell>(['bash', 'zsh', 'fish'])('%s', (shell) => {
  const used = useService();
  it('500', { timeout: 400_000 }, async () => {
    const home = await mkdtemp(join(tmpdir(), 'at-shell-'));
    await writeFile(join(home, RC[shell].file), RC[shell].text);
    const config = shell === 'fish' ? ['--init-command', `source ${join(home, 'config.fish')}`] : [];
    const { body } = await used.api.post<{ id: string }>('/api/terminals', { command: [shell, ...config], env: { HOME: home, ZDOTDIR: home }, cwd: home });
    const id = body.id;
    const list = async () => (await used.api.get<any>(`/api/terminals/${id}/commands?limit=3`)).body;
    const wrong: any[] = [];
    let n = 0;
    let last = '';
    for (const sample of samples(shell, 500, 20_261_121)) {
      n++;
      await used.api.post(`/api/terminals/${id}/execute`, { prompt: sample.command, cliType: 'default' });
      let got: any;
      await eventually(`end of ${n} ${sample.command}`, async () => { const l = await list(); got = l.commands[0]; return got !== undefined && got.id !== last && got.endedAt !== null; });
      last = got.id;
      const { body: out } = await used.api.get<any>(`/api/terminals/${id}/commands/${got.id}/output?maxBytes=1000000`);
      const ok = typeof sample.output === 'string' ? out.raw === sample.output : sample.output.test(out.raw);
      if (!ok || got.exitCode !== sample.exitCode || got.commandLine !== sample.command) wrong.push({ n, sample, got: got.exitCode, line: got.commandLine, raw: out.raw.slice(0, 300), len: out.raw.length });
      if (wrong.length > 12) break;
    }
    console.log(shell, n, 'wrong', wrong.length, JSON.stringify(wrong, null, 1));
    await rm(home, { recursive: true, force: true });
    expect(n).toBe(500);
  });
});
