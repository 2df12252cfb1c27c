import { expect, test } from 'vitest';
import { baseName, displayName } from '#dist/actors/processes/names.js';

test.each([
  ['/usr/bin/vim', 'vim'],
  ['C:\\Windows\\System32\\cmd.exe', 'cmd'],
  ['-bash', 'bash'],
  ['-', '-'],
  ['claude.EXE', 'claude'],
  ['', ''],
])('%s is called %s', (path, name) => {
  expect(baseName(path)).toBe(name);
});

test.each<[what: string, kernel: string, argv: string[], exe: string | null, shown: string]>([
  ['a plain program', 'sleep', ['sleep', '5'], '/usr/bin/sleep', 'sleep'],
  ['a login shell', 'bash', ['-bash'], '/usr/bin/bash', 'bash'],
  ['a link: as it was called', 'sh', ['sh'], '/usr/bin/dash', 'sh'],
  ['a link to a version', 'claude', ['claude'], '/opt/claude/versions/2.1.40', 'claude'],
  [
    'a script with an interpreter line',
    'aider',
    ['/usr/bin/python3', '/usr/bin/aider'],
    '/usr/bin/python3.12',
    'aider',
  ],
  [
    'a name cut short, by the command line',
    'gnome-terminal-',
    ['/usr/libexec/gnome-terminal-server'],
    null,
    'gnome-terminal-server',
  ],
  [
    'a name cut short, by the executable',
    'gnome-terminal-',
    ['other'],
    '/usr/libexec/gnome-terminal-server',
    'gnome-terminal-server',
  ],
  ['a name cut short, and nothing more to be had', 'gnome-terminal-', [], null, 'gnome-terminal-'],
  ['a name cut within a character', 'zwölf-töne-mü\ufffd', ['zwölf-töne-müßig'], null, 'zwölf-töne-müßig'],
  ['a name of just 15 bytes', 'exactly-fifteen', ['/bin/exactly-fifteen'], null, 'exactly-fifteen'],
  ['a short name that begins another', 'sl', ['/bin/sleep'], null, 'sl'],
  ['Node 24', 'MainThread', ['node', 'x.js'], '/usr/bin/node', 'node'],
  ['Node 25', 'node-MainThread', ['/usr/bin/node', 'x.js'], '/usr/bin/node', 'node'],
  ['such a thread without a command line', 'MainThread', [], '/usr/bin/node', 'node'],
  ['npm', 'npm run dev', ['npm run dev'], '/usr/bin/node', 'npm'],
  ['a title with a path in it', 'npm exec @opena', ['npm exec @openai/codex'], '/usr/bin/node', 'npm'],
  ['tmux', 'tmux: client', ['tmux', 'attach'], '/usr/bin/tmux', 'tmux'],
  ['a program with a blank in its name', 'My Program', ['/opt/My Program'], '/opt/My Program', 'My Program'],
  ['nothing but the name', 'sudo', [], null, 'sudo'],
])('%s', (_what, kernel, argv, exe, shown) => {
  expect(displayName(kernel, { argv, exe })).toBe(shown);
});
