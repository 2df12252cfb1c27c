import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { only, printedBy, useShells } from '../support/use-shells.js';

const SCRIPT = fileURLToPath(new URL('../../src/shell-integration/pwsh/marks.ps1', import.meta.url));
const folders = (process.env.PATH ?? '').split(delimiter);
const isThere = folders.some((folder) => existsSync(join(folder, 'pwsh')));

describe.skipIf(!isThere)(isThere ? 'pwsh' : 'pwsh (not run: PATH has none)', () => {
  const startShell = useShells();

  /** Starts PowerShell with this profile, set up to query only its terminal. */
  const pwsh = (profile = '', cols = 80) =>
    startShell('pwsh', {
      args: ['-NoLogo'],
      env: { POWERSHELL_TELEMETRY_OPTOUT: '1', POWERSHELL_UPDATECHECK: 'Off', NO_COLOR: '1' },
      files: { '.config/powershell/profile.ps1': profile },
      cols,
      answers: true,
    });

  /**
   * Returns the output of a command without PowerShell's own sequences, which reset the cursor keys and query the
   * cursor.
   */
  const printed = (command: { output: string }) => printedBy(command).replace(/\x1b\[(\?1[hl]|6n)/g, '');

  it('reports for each command its line, its status and exactly its output', async () => {
    const session = await pwsh();
    for (const status of [0, 1, 2, 127, 200, 255]) {
      const line = `"a\`n\`n  b ${status}"; sh -c 'exit ${status}'`;
      const ran = only(await session.run(line));
      expect([ran.line, ran.status, printed(ran)]).toEqual([line, `${status}`, `a\n\n  b ${status}\n`]);
    }
    expect(printed(only(await session.run('$null = 1')))).toBe('');
    expect(only(await session.run('sh -c "exit 3"; "fine"')).status).toBe('0');
  });

  it('distinguishes the failure of a program from that of a cmdlet', async () => {
    const session = await pwsh();
    const statusOf = async (line: string) => only(await session.run(line)).status;
    for (const [line, status] of [
      ['Get-Item /nowhere', '1'],
      ['sh -c "exit 7"', '7'],
      ['sh -c "exit 7"', '7'],
      ['Get-Item /nowhere', '1'],
      ['no-such-command', '1'],
      ['throw "it"', '1'],
      ['sh -c "exit 7"', '7'],
      ['$Error.Clear(); sh -c "exit 7"', '7'],
      ['1 + 1', '0'],
    ] as const) {
      expect([line, await statusOf(line)]).toEqual([line, status]);
    }
    expect(await statusOf(`sh -c 'kill -KILL $$'`)).toBe('137');
  });

  it('ends each prompt in a B, also without a command, after Ctrl+C, and after a syntax error', async () => {
    const session = await pwsh();
    for (const keys of ['\r', 'half a line', ')\r', '\r']) {
      session.type(keys);
      if (!keys.endsWith('\r')) {
        await session.until('it is echoed', (_marks, text) => text.includes('line'));
        session.type('\x03');
      }
      const { commands, order } = await session.prompt();
      expect(commands).toEqual([]);
      expect(order).toMatch(/A P B$/);
    }
    expect(only(await session.run('echo still')).line).toBe('echo still');
  });

  it('reports the line as it was typed, and the folder, whatever they contain', async () => {
    const session = await pwsh('', 200);
    for (const text of ['a;b', 'x\\y\\\\z', 'Grüße 日本語 🎉', '%s %% \\x3b', '[*]?', '{a,b}']) {
      const ran = only(await session.run(`echo '${text}'`));
      expect([ran.line, printed(ran)]).toEqual([`echo '${text}'`, `${text}\n`]);
    }
    for (const name of ['with space', 'semi;colon', 'Ünïcödé 日本', 'back\\slash', '-n']) {
      await mkdir(join(session.home, name));
      const { cwd } = await session.run(`Set-Location -LiteralPath "$HOME/${name}"`);
      expect(cwd).toBe(join(session.home, name));
    }
  });

  it("leaves the user's prompt its usual state, and its text", async () => {
    const session = await pwsh('function prompt { "[$? $LASTEXITCODE]`n> " }');
    for (const [line, found] of [
      ['sh -c "exit 3"', '[False 3]'],
      ['"fine"', '[True 3]'],
      ['Get-Item /nowhere', '[False 3]'],
      ['sh -c "exit 0"', '[True 0]'],
    ] as const) {
      const ran = await session.run(line);
      expect(ran.text.match(/\[(True|False) \d+\]/g)).toEqual([found]);
    }
    await session.run('Get-Item /nowhere');
    expect(printed(only(await session.run('$?')))).toBe('False\n');
  });

  it('follows a prompt and a reader that are redefined, and code that calls ours', async () => {
    const session = await pwsh();
    await session.run('function prompt { "one> " }');
    expect(only(await session.run('sh -c "exit 3"')).status).toBe('3');
    // A Python environment's script wraps the prompt in this way, and restores it.
    await session.run(
      'Copy-Item function:prompt function:old; function prompt { Write-Host "(env) " -NoNewline; old }',
    );
    const within = await session.run('sh -c "exit 4"');
    expect(only(within)).toMatchObject({ status: '4' });
    expect(within.text).toMatch(/\(env\) .*one> /);
    await session.run('Copy-Item function:old function:prompt; Remove-Item function:old');
    expect(only(await session.run('sh -c "exit 5"'))).toMatchObject({ status: '5' });
    const read = '[Microsoft.PowerShell.PSConsoleReadLine]::ReadLine($Host.Runspace, $ExecutionContext, $?)';
    await session.run(`function PSConsoleHostReadLine { ${read} }`);
    const ran = await session.run('sh -c "exit 6"');
    expect([only(ran).status, ran.order]).toEqual(['6', 'E C D6 A P B']);
  });

  it('changes nothing when the script is read again', async () => {
    const session = await pwsh();
    await session.run(`. '${SCRIPT}'; $env:AUTO_TERMINAL_NONCE = 'other'; . '${SCRIPT}'`);
    const ran = await session.run('sh -c "exit 3"');
    expect([only(ran).status, ran.order]).toEqual(['3', 'E C D3 A P B']);
  });

  it('shows its secret to no program and no plain command, and its script to no history', async () => {
    const session = await pwsh();
    const look = 'env; Get-Variable | Out-String -Width 999; Get-ChildItem function: | Out-String -Width 999';
    for (const line of [look, 'Get-History | Out-String -Width 999']) {
      const { output } = only(await session.run(line));
      expect(output).toMatch(/HOME|env;/);
      expect(output).not.toMatch(/0123456789abcdef|AUTO_TERMINAL|marks\.ps1/);
    }
  });

  it('reports commands once they have ended if there is no PSReadLine', async () => {
    const session = await pwsh('Remove-Module PSReadLine');
    const ran = await session.run('sh -c "exit 3"');
    expect(ran.order).toBe('E C D3 A P B');
    expect(only(ran)).toEqual({ line: 'sh -c "exit 3"', status: '3', output: '' });
    expect((await session.run('')).commands).toEqual([]);
  });

  it('ends with its own exit code', async () => {
    const session = await pwsh();
    session.type('exit 3\r');
    const { exit, ran } = await session.end();
    expect(exit.exitCode).toBe(3);
    expect(ran.order).toMatch(/E C$/);
  });
});
