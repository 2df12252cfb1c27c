import { spawn as spawnChild } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node-pty';
import type { Size } from './screen-pair.js';

/** A program and its input; each entry of the input waits until the program has been quiet for a moment. */
interface Session {
  name: string;
  command: (folder: string) => string[];
  keys: string[];
}

const QUIET_MS = 250;
const LONGEST_MS = 15_000;

const TEXT = Array.from({ length: 90 }, (_, line) => {
  const words = [
    'alpha',
    'βήτα',
    '中文字符',
    'gamma = "delta";',
    '\tif (x) { return y; }',
    '👩 emoji é',
    '// comment',
  ];
  return `${line} ${words[line % words.length]} ${'lorem ipsum dolor '.repeat(line % 5)}`;
}).join('\n');

const [DOWN, UP, ESC] = ['\x1b[B', '\x1b[A', '\x1b'];

/**
 * Sessions to record. Each program has a clean environment and a folder of its own, so that its screens show nothing of
 * this machine.
 */
const SESSIONS: Session[] = [
  {
    name: 'vim',
    command: () => ['vim', '-u', 'NONE', '-i', 'NONE', '-n', '--cmd', 'set nocp nomodeline ruler', 'text.c'],
    keys: [
      ':syntax on\r',
      ':set number\r',
      'G',
      'gg',
      '/lorem\r',
      'n',
      'Vjjj',
      ESC,
      'onew line 中文 é',
      ESC,
      '5dd',
      'p',
      'u',
      ':split\r',
      '\x06',
      '\x17o',
      'i',
      'typed\tin',
      ESC,
      ':only\r',
      ':q!\r',
    ],
  },
  {
    name: 'nano',
    command: () => ['nano', '-I', 'text.c'],
    keys: [
      DOWN.repeat(8),
      'new text 中文',
      '\r',
      '\x16',
      '\x16',
      '\x0b',
      '\x15',
      '\x17',
      'gamma\r',
      '\x19',
      '\x07',
      '\x18',
      '\x18',
      'n',
    ],
  },
  {
    name: 'less',
    command: () => ['less', '-R', 'text.c'],
    keys: [' ', ' ', 'b', '/comment\r', 'n', DOWN.repeat(3), UP, '-S\r', '\x1b[C', 'G', 'g', 'q'],
  },
  {
    name: 'htop',
    command: () => ['sh', '-c', 'sleep 60 & exec htop -d 5 -p $!'],
    keys: ['', '', 'h', 'q', '', '\x1bOQ', ESC, 'M', '', 'q'],
  },
  {
    name: 'tmux',
    command: (folder) => ['tmux', '-S', join(folder, 'socket'), '-f', 'tmux.conf', 'new', 'sh'],
    keys: [
      'echo one; printf "\\033[31mred\\033[0m\\n"\r',
      '\x02%',
      'seq 60\r',
      '\x02"',
      'cat text.c\r',
      '\x02o',
      '\x02z',
      '\x02z',
      '\x02[',
      UP.repeat(5),
      'q',
      '\x02c',
      'ls\r',
      '\x02p',
      '\x02 ',
      '\x02:kill-server\r',
    ],
  },
  {
    name: 'shell',
    command: () => ['sh'],
    keys: [
      'seq 40\r',
      'printf "\\033[1;32mok\\033[0m %s\\n" 1 2 3\r',
      'for i in 1 2 3 4 5; do printf "$i0%%\\r"; done; echo\r',
      'cat text.c\r',
      'printf "\\033]0;title\\007"\r',
      'clear\r',
      'printf "\\033[?1049h\\033[5;5Hboo"; printf "\\033[?1049l"\r',
      'exit\r',
    ],
  },
];

export const RECORDED_SIZES: Size[] = [
  { cols: 80, rows: 24 },
  { cols: 132, rows: 43 },
];

export const RECORDED_NAMES = SESSIONS.map(({ name }) => name);

/** Records all sessions in all sizes into `target`, one file for each recording. */
export async function recordAll(target: string): Promise<void> {
  mkdirSync(target, { recursive: true });
  for (const session of SESSIONS) {
    for (const size of RECORDED_SIZES) {
      const output = await record(session, size);
      writeFileSync(join(target, recordingName(session.name, size)), output);
    }
  }
}

export function recordingName(name: string, { cols, rows }: Size): string {
  return `${name}-${cols}x${rows}.bin`;
}

async function record({ command, keys }: Session, size: Size): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'screen-'));
  writeFileSync(join(folder, 'text.c'), TEXT);
  writeFileSync(
    join(folder, 'tmux.conf'),
    'set -g status-right ""\nset -g automatic-rename off\nset -g default-command sh\nset -s escape-time 0\n',
  );
  const [program, ...args] = command(folder);
  const env = {
    HOME: folder,
    PATH: '/usr/bin:/bin',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: '$ ',
    SHELL: '/bin/sh',
  };
  const pty = spawn(program!, args, { cols: size.cols, rows: size.rows, cwd: folder, env, encoding: null });
  const output: Buffer[] = [];
  let lastOutput = Date.now();
  let isEnded = false;
  pty.onData((data) => {
    output.push(data as unknown as Buffer);
    lastOutput = Date.now();
  });
  pty.onExit(() => {
    isEnded = true;
  });
  const ends = Date.now() + LONGEST_MS;
  const quiet = async () => {
    lastOutput = Date.now();
    while (!isEnded && Date.now() < ends && Date.now() - lastOutput < QUIET_MS) await sleep(20);
  };
  await quiet();
  for (const key of keys) {
    if (isEnded) break;
    pty.write(key);
    await quiet();
  }
  if (!isEnded) pty.kill('SIGKILL');
  await once(spawnChild('tmux', ['-S', join(folder, 'socket'), 'kill-server'], { stdio: 'ignore' }), 'close');
  rmSync(folder, { recursive: true, force: true });
  return Buffer.concat(output);
}
