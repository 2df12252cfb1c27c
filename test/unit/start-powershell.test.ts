import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { integrate } from '#dist/actors/shell-integration/integrate.js';

const NONCE = '0123456789abcdef0123456789abcdef';
const ROOT = new URL('../../', import.meta.url);

function start(args: string[], { file = '/usr/bin/pwsh', folder = '/opt/scripts', platform = 'linux' } = {}) {
  return integrate(
    { file, args, env: { HOME: '/home/me', TERM: 'xterm' } },
    { nonce: NONCE, lines: '/run/lines/term_1', folder, platform, isZdotdirForced: () => false },
  );
}

const READ = `try { . '/opt/scripts/pwsh/marks.ps1' } catch { }`;

it.each([
  { args: [] },
  { args: ['-Login'] },
  { args: ['-l', '-NoLogo'] },
  { args: ['--nologo', '-NOPROFILE'] },
  { args: ['-i', '-NoExit', '-nol', '-nop', '-noe', '-NoProfileLoadTime'] },
  { args: ['-Interactive', '-WorkingDirectory', '-c'] },
  { args: ['-wd', '/tmp', '-ExecutionPolicy', 'Bypass', '-ep', 'Bypass', '-wor', '~'] },
])('pwsh $args reads the script after its own arguments', ({ args }) => {
  expect(start(args)).toEqual({
    shell: 'pwsh',
    file: '/usr/bin/pwsh',
    args: [...args, '-NoExit', '-Command', READ],
    env: { HOME: '/home/me', TERM: 'xterm', AUTO_TERMINAL_NONCE: NONCE },
  });
});

it.each([
  { args: ['-c', 'Get-Date'] },
  { args: ['-NoExit', '-Command', 'Get-Date'] },
  { args: ['-CommandWithArgs', 'Get-Date'] },
  { args: ['-EncodedCommand', 'RwBlAHQALQBEAGEAdABlAA=='] },
  { args: ['-File', 'script.ps1'] },
  { args: ['script.ps1'] },
  { args: ['-NoLogo', 'script.ps1', '-NoProfile'] },
  { args: ['-NonInteractive'] },
  { args: ['-Version'] },
  { args: ['-Help'] },
  { args: ['-ServerMode'] },
  { args: ['-ConfigurationName', 'AdminRoles'] },
  // The argument lacks its value.
  { args: ['-WorkingDirectory'] },
  // Not a parameter of PowerShell, or only similar to one.
  { args: ['-no'] },
  { args: ['-'] },
  { args: [''] },
  { args: ['-loginx'] },
])('pwsh $args is started as it is', ({ args }) => {
  expect(start(args)).toEqual({
    shell: null,
    file: '/usr/bin/pwsh',
    args,
    env: { HOME: '/home/me', TERM: 'xterm' },
  });
});

it('is not integrated on Windows, nor under another name', () => {
  expect(start([], { platform: 'win32' }).shell).toBe(null);
  expect(start([], { file: '/usr/bin/powershell' }).shell).toBe(null);
});

it('quotes the path of the script, typographic quotes included', () => {
  const { args } = start([], { folder: `/it's/“a”/‘b’/‚c‛/$(d) \`e;` });
  expect(args.at(-1)).toBe(`try { . '/it''s/“a”/‘‘b’’/‚‚c‛‛/$(d) \`e;/pwsh/marks.ps1' } catch { }`);
});

it('reads a script that is there, and that the package ships', () => {
  const script = 'src/shell-integration/pwsh/marks.ps1';
  const { args } = start([], { folder: fileURLToPath(new URL('src/shell-integration', ROOT)) });
  expect(args.at(-1)).toContain(fileURLToPath(new URL(script, ROOT)));
  expect(existsSync(new URL(script, ROOT))).toBe(true);
  const { files } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { files: string[] };
  expect(files.some((folder) => script.startsWith(`${folder}/`))).toBe(true);
});
