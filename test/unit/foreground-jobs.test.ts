import { describe, expect, test } from 'vitest';
import { ForegroundJobs } from '#dist/workers/pty-host/processes/foreground-jobs.js';
import type { ProcessEntry, ProcessTree } from '#dist/workers/pty-host/processes/process-tree.js';

const SHELL = { leader: 10, startedAt: '1' };

/** A table of processes whose foreground group and start times a test changes. */
class Tree implements ProcessTree {
  entries: ProcessEntry[] = [
    { pid: 10, group: 10, session: 10, startedAt: '1' },
    { pid: 20, group: 20, session: 10, startedAt: '2' },
    { pid: 21, group: 20, session: 10, startedAt: '2' },
    { pid: 30, group: 30, session: 30, startedAt: '3' },
  ];
  group: number | null = 20;
  /** Start times that differ from the scan's start times. */
  readonly since = new Map<number, string | null>();
  /** Called after each scan, before its result is used. */
  meanwhile = () => {};

  async scan() {
    const entries = [...this.entries];
    this.meanwhile();
    return { entries, isGradual: false };
  }

  startedAt(pid: number): string | null {
    if (this.since.has(pid)) return this.since.get(pid)!;
    return this.entries.find((entry) => entry.pid === pid)?.startedAt ?? null;
  }

  async foreground(): Promise<number | null> {
    return this.group;
  }
}

/** Sends signals, and resolves with their targets. */
async function targets(
  tree: Tree,
  { pid = 10, sparesProgram = true, isLate = (): boolean => false, fault = '' } = {},
): Promise<number[]> {
  const sent: number[] = [];
  const kill = (target: number) => {
    if (fault) throw Object.assign(new Error(fault), { code: fault });
    sent.push(target);
  };
  const jobs = new ForegroundJobs(tree, kill);
  await jobs.signal({ session: SHELL, pid }, { signal: 'SIGTERM', sparesProgram }, isLate);
  return sent;
}

const NONE = { code: 'no-foreground-job' };

describe('the job in the foreground', () => {
  test('is its whole process group', async () => {
    expect(await targets(new Tree())).toEqual([-20]);
  });

  test('is never a group whose number another session has by now', async () => {
    const tree = new Tree();
    tree.group = 30;
    await expect(targets(tree)).rejects.toMatchObject(NONE);
  });

  test('is none if the group has gone, though the terminal still names it', async () => {
    const tree = new Tree();
    tree.group = 99;
    await expect(targets(tree)).rejects.toMatchObject(NONE);
  });

  test('is none if its pids belong to later processes when the signal would be sent', async () => {
    const tree = new Tree();
    tree.meanwhile = () => {
      tree.since.set(20, '9');
      tree.since.set(21, null);
    };
    await expect(targets(tree)).rejects.toMatchObject(NONE);
  });

  test('is none if the leader of the session is another process by now', async () => {
    const tree = new Tree();
    tree.since.set(10, '9');
    await expect(targets(tree)).rejects.toMatchObject(NONE);
  });

  test('is looked for again if it has ended while the processes were listed', async () => {
    const tree = new Tree();
    tree.group = 99;
    tree.meanwhile = () => {
      tree.group = 20;
    };
    expect(await targets(tree)).toEqual([-20]);
  });

  test('is the program of the terminal only if that is not spared', async () => {
    const tree = new Tree();
    tree.group = 10;
    await expect(targets(tree)).rejects.toMatchObject(NONE);
    expect(await targets(tree, { sparesProgram: false })).toEqual([-10]);
  });

  test('does not include the shell that a program runs under in tmux', async () => {
    const tree = new Tree();
    tree.group = 10;
    tree.entries.push({ pid: 11, group: 10, session: 10, startedAt: '2' });
    tree.entries.push({ pid: 12, group: 10, session: 10, startedAt: '2' });
    expect(await targets(tree, { pid: 11, sparesProgram: false })).toEqual([11, 12]);
  });

  test('gets nothing after the deadline', async () => {
    await expect(targets(new Tree(), { isLate: () => true })).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('of another user is refused; gone at the last moment, it is none', async () => {
    await expect(targets(new Tree(), { fault: 'EPERM' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(targets(new Tree(), { fault: 'ESRCH' })).rejects.toMatchObject(NONE);
  });
});
