import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { TerminalDeps } from '#dist/workers/pty-host/hosted-terminal.js';
import { Ledger, type LedgerEntry, type LedgerRecord } from '#dist/workers/pty-host/ledger/ledger.js';
import { carriesId } from '#dist/workers/pty-host/ledger/left-sessions.js';
import { takeOver } from '#dist/workers/pty-host/ledger/take-over.js';
import { Killer } from '#dist/workers/pty-host/processes/killer.js';
import { processTree } from '#dist/workers/pty-host/processes/process-tree.js';
import type { LeftTerminal } from '#dist/workers/pty-host/terminal-maker.js';
import { eventually, processInfo } from '../support/processes.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const logged: string[] = [];
const log = (message: string) => void logged.push(message);
const OLD_HOST = { pid: 10, startedAt: '100' };
const entry: LedgerEntry = {
  ...{ handle: 7, id: 'term_abc', pid: 20, session: { leader: 20, startedAt: '200' } },
  ...{ hasSession: true, isListed: true, cols: 80, rows: 24, meta: '{}', exit: null },
};

/** The ledger of an old host, and the terminals that a new host takes over from it. */
function rig(entries: LedgerEntry[], { boot = 'boot', isOldAlive = false } = {}) {
  const old = new Ledger({ folder, boot: 'boot', host: OLD_HOST, log });
  for (const each of entries) old.write(old.newName(), each);
  const ledger = new Ledger({ folder, boot, host: { pid: 11, startedAt: '300' }, log });
  const left: { record: LedgerRecord; left: LeftTerminal; isClosed: boolean }[] = [];
  const make = (record: LedgerRecord, of: LeftTerminal, _kill: TerminalDeps['kill']) => {
    const made = { record, left: of, isClosed: false };
    left.push(made);
    const close = () => {
      made.isClosed = true;
    };
    return { handle: record.handle, close } as never;
  };
  const listed = takeOver({
    ...{ ledger, killer: { killLeft: () => {} }, maker: { left: make }, bootId: boot },
    startedAt: (pid) => (pid === OLD_HOST.pid && isOldAlive ? OLD_HOST.startedAt : null),
  });
  return { left, listed };
}

describe('a terminal that a killed host has left', () => {
  test('is listed as exited, and its session ended', () => {
    const { left, listed } = rig([entry]);
    expect(listed).toHaveLength(1);
    expect(left[0]).toMatchObject({
      isClosed: false,
      left: { hasSession: true, exit: { exitCode: null, signal: null, reason: 'host-lost' } },
    });
  });

  test('keeps the exit code that it had', () => {
    const exit = { exitCode: 3, signal: null, exitedAt: 5 };
    expect(rig([{ ...entry, exit, hasSession: false }]).left[0]?.left).toMatchObject({
      exit,
      hasSession: false,
    });
  });

  test('is ended and not listed if it was being closed', () => {
    const { left, listed } = rig([{ ...entry, isListed: false }]);
    expect([left[0]?.isClosed, left[0]?.left.hasSession, listed.length]).toEqual([true, true, 0]);
  });

  test('has no session after a start of the system, nor without the time of its start', () => {
    expect(rig([entry], { boot: 'another' }).left[0]?.left.hasSession).toBe(false);
    const unknown = { ...entry, session: { leader: 20, startedAt: null } };
    expect(rig([unknown]).left.map(({ left }) => left.hasSession)).toContain(false);
  });

  test('is left to a host that still runs', () => {
    expect(rig([entry], { isOldAlive: true }).left).toEqual([]);
  });

  test('is skipped if its file contains no record', () => {
    writeFileSync(join(folder, 'torn.json'), '{"boot":');
    writeFileSync(join(folder, 'half.json.new'), '');
    writeFileSync(
      join(folder, 'other.json'),
      JSON.stringify({ ...entry, host: OLD_HOST, boot: 'b', handle: 'x' }),
    );
    expect(rig([entry]).left).toHaveLength(1);
    expect(readdirSync(folder)).toHaveLength(1);
  });
});

describe.runIf(process.platform === 'linux')('a session whose number belongs to another by now', () => {
  /** Starts a process in a session of its own, which is not the terminal's session. */
  function bystander(env: Record<string, string>): number {
    const child = spawn('sleep', ['1000'], {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH ?? '', ...env },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child.pid!;
  }

  test('is not touched, whatever its processes carry', async () => {
    const leader = bystander({ SERVICE_TERMINAL_ID: 'term_abc' });
    const killer = new Killer(processTree(), log);
    const done = new Promise<void>((resolve) =>
      killer.killLeft({ leader, startedAt: '1' }, resolve, (members) => carriesId(members, 'term_abc')),
    );
    await done;
    await killer.idle();
    expect(processInfo(leader)?.state).not.toBe('Z');
    expect(processInfo(leader)).toBeDefined();
  });

  test('a process identifies its session by the id in its environment', async () => {
    const pid = bystander({ SERVICE_TERMINAL_ID: 'term_abc' });
    await eventually('it runs', () => processInfo(pid)?.session === pid);
    const members = [{ pid, group: pid, session: pid, startedAt: '' }];
    await eventually('its environment is its own', () => carriesId(members, 'term_abc'));
    expect(carriesId(members, 'term_ab')).toBe(false);
    expect(carriesId([{ ...members[0]!, pid: 2 ** 22 + 1 }], 'term_abc')).toBe(false);
  });
});
