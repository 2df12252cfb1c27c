import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandList, CommandOutput } from '#dist/contract/command.js';
import { ShellTerminal } from '../support/commands.js';
import { failed } from '../support/failed.js';
import type { Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { found } from '../support/search.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();

const linesOf = ({ commands }: CommandList) => commands.map(({ commandLine }) => commandLine);

describe('GET /api/terminals/:id/commands', () => {
  it('lists ended and running commands, newest first, with line, folder, times and exit code', async () => {
    const before = Date.now();
    const shell = await ShellTerminal.open(used.api);
    await shell.run('cd /usr');
    await shell.run('(exit 3)');
    await shell.type('cat\r');
    await shell.listed('cat');
    const list = await shell.list();
    expect(list).toMatchObject({
      integration: 'bash',
      commands: [
        { commandLine: 'cat', cwd: '/usr', exitCode: null, endedAt: null, durationMs: null },
        { commandLine: '(exit 3)', cwd: '/usr', exitCode: 3 },
        { commandLine: 'cd /usr', cwd: used.service.home, exitCode: 0 },
      ],
    });
    const [running, failed] = list.commands;
    expect(running!.outputCursor).toEqual({ start: expect.any(String), end: null });
    expect(failed!.outputCursor).toEqual({ start: expect.any(String), end: expect.any(String) });
    expect(failed!.durationMs).toBe(failed!.endedAt! - failed!.startedAt);
    const times = [...list.commands].reverse().map(({ startedAt }) => startedAt);
    const all = [before, ...times, Date.now()];
    expect(all).toEqual([...all].sort((a, b) => a - b));
    await shell.type('\x04');
    expect(await shell.ended('cat')).toMatchObject({ id: running!.id, exitCode: 0 });
  });

  it('?limit= returns no more than that, and 50 without', async () => {
    const shell = await ShellTerminal.open(used.api);
    for (let index = 0; index < 60; index++) await shell.type(`: ${index}\r`);
    await shell.ended(': 59');
    expect(linesOf(await shell.list(2))).toEqual([': 59', ': 58']);
    const path = `/api/terminals/${shell.id}/commands`;
    const { body } = await used.api.get<CommandList>(path);
    expect(linesOf(body)).toEqual(Array.from({ length: 50 }, (_, index) => `: ${59 - index}`));
    for (const limit of ['0', '-1', '1001', 'many', '']) {
      expect((await used.api.get<Failure>(`${path}?limit=${limit}`)).status).toBe(400);
    }
  });

  it('has those of nested shells, until the outer command ends', async () => {
    const shell = await ShellTerminal.open(used.api);
    await shell.type('bash\r');
    const outer = await shell.listed('bash');
    expect(await shell.run('(exit 4)')).toMatchObject({ exitCode: 4 });
    expect(linesOf(await shell.list())).toEqual(['(exit 4)', 'bash']);
    await shell.type('exit 5\r');
    expect(await shell.ended('bash')).toMatchObject({ id: outer.id, exitCode: 5 });
    expect(await shell.run('true')).toMatchObject({ exitCode: 0 });
  });

  it('of a zsh has a command to its end, even one that prints the variable with the end mark', async () => {
    await writeFile(join(used.service.home, '.zshrc'), '');
    const env = { HOME: used.service.home };
    const shell = await ShellTerminal.open(used.api, { command: ['zsh'], env });
    await shell.run('true');
    const command = await shell.run('print -r -- "$PROMPT_EOL_MARK"; echo after; (exit 7)');
    expect(command).toMatchObject({ exitCode: 7 });
    expect((await shell.output(command)).raw).toMatch(/\nafter\n$/);
  });

  it('goes on after an `exec` of the shell, whose exit code is unknown', async () => {
    const shell = await ShellTerminal.open(used.api);
    await shell.run(': before');
    await shell.run('exec bash');
    expect(await shell.run('(exit 6)')).toMatchObject({ exitCode: 6 });
    expect((await shell.list()).commands).toMatchObject([
      { commandLine: '(exit 6)' },
      { commandLine: 'exec bash', exitCode: null, endedAt: expect.any(Number) },
      { commandLine: ': before' },
    ]);
  });

  it('still answers once the shell has exited: its last command has the exit code of the terminal', async () => {
    const shell = await ShellTerminal.open(used.api);
    await shell.run('true');
    const last = await shell.run('echo bye; exit 7');
    expect(last).toMatchObject({ exitCode: 7, outputCursor: { end: expect.any(String) } });
    await eventually('it has exited', async () => {
      const { body } = await used.api.get<{ status: string }>(`/api/terminals/${shell.id}`);
      return body.status === 'exited';
    });
    expect(linesOf(await shell.list())).toEqual(['echo bye; exit 7', 'true']);
    expect((await shell.output(last)).raw).toMatch(/^bye\n/);
    await used.api.delete(`/api/terminals/${shell.id}`);
    const { status, body } = await used.api.get<Failure>(`/api/terminals/${shell.id}/commands`);
    expect([status, body]).toEqual([404, failed('Terminal not found')]);
  });

  it('of a program that is no shell is empty, and says that nothing reports commands', async () => {
    const shell = await ShellTerminal.open(used.api, { command: ['sh'] });
    await shell.type('echo not tracked\r');
    await found(used.api, 'not tracked');
    expect(await shell.list()).toEqual({ integration: 'none', commands: [] });
  });

  it('of an unknown terminal is 404', async () => {
    const { status, body } = await used.api.get<Failure>('/api/terminals/term_none/commands');
    expect([status, body]).toEqual([404, failed('Terminal not found')]);
  });
});

describe('GET /api/terminals/:id/commands/:commandId/output', () => {
  it("is exactly the command's output, clean or raw", async () => {
    const shell = await ShellTerminal.open(used.api);
    await shell.run('echo before');
    const line = String.raw`printf 'a\033[31mred\033[m\n\n  end'`;
    const command = await shell.run(line);
    await shell.run('echo after');
    expect(await shell.output(command)).toEqual({ id: command.id, raw: 'ared\n\n  end', truncated: false });
    const raw = 'a\x1b[31mred\x1b[m\r\n\r\n  end';
    expect(await shell.output(command, '?raw=true')).toEqual({ id: command.id, raw, truncated: false });
    expect(await shell.output(command, '?raw=true&maxBytes=4')).toEqual({
      ...{ id: command.id, raw: ' end', truncated: true },
    });
  });

  it('of a running command is its output so far', async () => {
    const shell = await ShellTerminal.open(used.api);
    await shell.type('echo so far; read answer; echo $answer\r');
    const command = await shell.listed('echo so far; read answer; echo $answer');
    await eventually('it has printed', async () => (await shell.output(command)).raw === 'so far\n');
    await shell.type('and on\r');
    await shell.ended(command.commandLine);
    expect((await shell.output(command)).raw).toBe('so far\nand on\nand on\n');
  });

  it('of an unknown command, terminal, or a command of another terminal is 404', async () => {
    const [shell, other] = [await ShellTerminal.open(used.api), await ShellTerminal.open(used.api)];
    await other.run('echo padding, so that positions differ');
    const ofOther = await other.run('true');
    for (const id of ['cmd_0', 'nonsense', '%00', ofOther.id, 'x'.repeat(2_000)]) {
      const path = `/api/terminals/${shell.id}/commands/${id}/output`;
      const { status, body } = await used.api.get<CommandOutput & Failure>(path);
      expect([status, body]).toEqual([404, failed('Command not found')]);
    }
    const path = `/api/terminals/term_none/commands/${ofOther.id}/output`;
    expect((await used.api.get<Failure>(path)).body).toEqual(failed('Terminal not found'));
  });
});

describe('failed commands', () => {
  it('are found as documents of type error, unless the terminal is excluded from search', async () => {
    const [shell, hidden] = [
      await ShellTerminal.open(used.api),
      await ShellTerminal.open(used.api, { command: ['bash'], index: false }),
    ];
    await hidden.run('echo numbat hidden; false');
    await shell.run('echo numbat fine');
    await shell.run('echo numbat broken; false');
    const filters = { type: 'error' };
    const documents = await found(used.api, { query: 'numbat', filters });
    expect(documents.map(({ document }) => [document.terminalId, document.content])).toEqual([
      [shell.id, 'numbat broken\n'],
    ]);
  });

  it('are counted at /metrics, beside successful and running commands', async () => {
    const value = async (name: string) => {
      const { body } = await used.api.get<string>('/metrics');
      const line = body.split('\n').find((each) => each.startsWith(`auto_terminal_${name} `));
      return Number(line?.split(' ')[1]);
    };
    const figures = async () => [
      await value('commands_total{result="succeeded"}'),
      await value('commands_total{result="failed"}'),
      await value('commands_total{result="unknown"}'),
      await value('commands_running'),
    ];
    const before = await figures();
    const shell = await ShellTerminal.open(used.api);
    for (const line of ['true', 'false', '(exit 9)', 'exec bash']) await shell.run(line);
    await shell.type('cat\r');
    await shell.listed('cat');
    const after = await figures();
    expect(after.map((figure, index) => figure - before[index]!)).toEqual([1, 2, 1, 1]);
  });
});
