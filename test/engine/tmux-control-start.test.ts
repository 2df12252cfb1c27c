import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { TmuxRig } from '../support/tmux-rig.js';

const rigs: TmuxRig[] = [];

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.end();
});

async function made(options: Parameters<typeof TmuxRig.make>[0] = {}): Promise<TmuxRig> {
  const rig = await TmuxRig.make(options);
  rigs.push(rig);
  return rig;
}

/**
 * Starts a client that fails; resolves with the reason, which is reported once, after the fault of an earlier command.
 */
async function failsToStart(options: Parameters<typeof TmuxRig.make>[0]): Promise<string> {
  const rig = await made(options);
  // More than a pipe holds: the write fails if the program does not read it.
  rig.tell([`set-buffer ${'x'.repeat(1024 * 1024)}`]);
  await rig.closed();
  const [reason = ''] = rig.words('closed');
  expect(rig.told).toEqual([
    { kind: 'answer', text: `fault: tmux has ended: ${reason}` },
    { kind: 'closed', reason },
  ]);
  return reason;
}

test('a missing tmux closes the client, and is reported', async () => {
  expect(await failsToStart({ file: '/nowhere/tmux' })).toMatch(/^spawn \/nowhere\/tmux ENOENT/);
});

test('a tmux that is no program closes the client', async () => {
  expect(await failsToStart({ file: '/etc/passwd' })).toMatch(/EACCES/);
});

test('a program that is no tmux closes the client', async () => {
  expect(await failsToStart({ file: '/bin/false' })).toBe('the client has ended');
});

test("an untrusted folder closes the client, with tmux's message", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tmux-open-'));
  try {
    const open = join(folder, `tmux-${process.getuid?.()}`);
    await mkdir(open);
    await chmod(open, 0o777);
    expect(await failsToStart({ env: { TMUX_TMPDIR: folder } })).toMatch(/has unsafe permissions$/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a command that fails at the start closes the client, with tmux's message", async () => {
  const first = await made();
  const server = await first.server();
  for (const [words, command] of [
    ["can't find session: nope", ['attach-session', '-t', '=nope']],
    ['duplicate session: hub', ['new-session', '-s', 'hub']],
  ] as const) {
    const second = await made({ command: [...command], env: { TMUX_TMPDIR: first.folder } });
    await second.closed();
    expect(second.words('closed')).toEqual([words]);
    expect(second.logged).toEqual([`tmux client: ${words}`]);
  }
  expect(await first.server()).toBe(server);
});

test('commands may be given at once, before there is a server', async () => {
  const rig = await made();
  rig.tell(['display-message -p first']);
  await rig.server();
  expect(await rig.client.ask(['display-message -p "#{session_name}"'])).toEqual([['hub']]);
  expect(rig.words('answer')).toEqual(['first']);
});
