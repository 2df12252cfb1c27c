import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentFor } from '#dist/workers/pty-host/tmux/wrapped-environment.js';
import { findWrapperTools, type WrapperTools, wrapped } from '#dist/workers/pty-host/tmux/wrapper.js';

const TOOLS: WrapperTools = { sh: '/bin/sh', stty: '/bin/stty', sleep: '/bin/sleep', bash: '/bin/bash' };
const ENV: Record<string, string> = { PATH: '/bin' };
const program = { file: 'vi', path: '/bin/vi', args: ['a b', ''], env: ENV };
/** Returns the arguments that start the shell, without its script, and the words behind the script and the nonce. */
const argvOf = (spec: Partial<typeof program>, tools = TOOLS) => {
  const { argv, nonce } = wrapped({ ...program, ...spec }, tools);
  const at = argv.indexOf(nonce);
  expect(argv[at - 1]).toBe('auto-terminal');
  return { shell: argv.slice(0, at - 3), program: argv.slice(at + 1) };
};

test('a program has its name and arguments, and its path if a shell would go wrong', () => {
  expect(argvOf({}).program).toEqual(['vi', 'a b', '']);
  expect(argvOf({ file: '-vi', path: '/bin/-vi' }).program[0]).toBe('/bin/-vi');
  expect(argvOf({ env: {} }).program[0]).toBe('/bin/vi');
  expect(argvOf({ file: './vi' }).program[0]).toBe('./vi');
});

test('each has marks of its own', () => {
  const { nonce } = wrapped(program, TOOLS);
  expect(nonce).toMatch(/^\d{24}$/);
  expect(wrapped(program, TOOLS).nonce).not.toBe(nonce);
});

test('more arguments than tmux takes on a line are fewer words, none longer than Linux takes', () => {
  const args = Array.from({ length: 50_000 }, (_, index) => (index % 100 ? "it's" : '🎉'.repeat(50)));
  const { program: words } = argvOf({ args });
  expect(words.length).toBeLessThan(1_000);
  for (const word of words) expect(Buffer.byteLength(word)).toBeLessThan(128 * 1024);
  const packed = words.join('');
  const unpacked = [...packed.matchAll(/'((?:[^']|'\\'')*)'(?: |$)/g)];
  expect(unpacked.map(([, word = '']) => word.replaceAll("'\\''", "'"))).toEqual(['vi', ...args]);
});

test('the shell is sh, and a bash for variables that only bash hands on', () => {
  expect(argvOf({}).shell).toEqual(['/bin/sh']);
  for (const name of ['A.B', '1x', 'ü', 'BASH_FUNC_x%%']) {
    const env = { ...program.env, [name]: 'x' };
    expect(argvOf({ env }).shell).toEqual(['/bin/bash', '--posix']);
    expect(argvOf({ env }, { ...TOOLS, bash: null }).shell).toEqual(['/bin/sh']);
  }
});

test('no value of a variable is among the words', () => {
  const env = { PATH: '/bin:/own', SECRET: 'a secret', TERM: 'a term', PS1: 'a prompt', 'A.B': 'a dot' };
  expect(wrapped({ ...program, env }, TOOLS).argv.join(' ')).not.toMatch(/own|a (secret|term|prompt|dot)/);
});

test('variables that tmux or a shell would set have names of ours, the folder among them', () => {
  const given = environmentFor({ env: { HOME: '/h', TERM: 'x', SHLVL: '2', PWD: '/wrong' }, cwd: '/c' });
  const kept = (name: string) => Object.entries(given).find(([key]) => key.endsWith(`_${name}`))?.[1];
  expect(Object.keys(given)).toHaveLength(4);
  expect(given.HOME).toBe('/h');
  expect(['TERM', 'SHLVL', 'PWD'].map((name) => given[name])).toEqual([undefined, undefined, undefined]);
  expect(['TERM', 'SHLVL', 'PWD'].map(kept)).toEqual(['x', '2', '/c']);
});

test('the tools are found on a PATH, or the missing tool is named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tools-'));
  const link = (name: string) => symlinkSync('/bin/sh', join(folder, name));
  for (const name of ['sh', 'stty']) link(name);
  expect(findWrapperTools(`/gone:${folder}`)).toEqual({ fault: expect.stringContaining(folder) });
  link('sleep');
  const [sh, stty, sleep] = ['sh', 'stty', 'sleep'].map((name) => join(folder, name));
  expect(findWrapperTools(`/gone:${folder}`)).toEqual({ sh, stty, sleep, bash: null });
  rmSync(folder, { recursive: true });
});
