import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { processTable } from '#dist/actors/processes/platform.js';
import { PortableProcesses } from '#dist/actors/processes/portable.js';

/** The fields of systeminformation's list that are used. */
function listed(pid: number, parentPid: number, more: Record<string, unknown> = {}) {
  const usage = { cpu: 0, cpuu: 0, cpus: 0, mem: 0, memVsz: 0, memRss: 2, priority: 0, nice: 0 };
  const started = '2026-01-02 10:00:00';
  const rest = {
    name: `p${pid}`,
    state: 'sleeping',
    tty: '',
    user: '',
    command: `p${pid}`,
    params: '',
    path: '',
  };
  return { pid, parentPid, started, ...usage, ...rest, ...more };
}

function tableOf(platform: string, processes: ReturnType<typeof listed>[]) {
  return new PortableProcesses({ platform, cores: 8, list: async () => processes });
}

async function foreground(processes: ReturnType<typeof listed>[]) {
  const snapshot = await tableOf('darwin', processes).snapshot();
  return snapshot.terminal(10)?.foreground.map(({ pid }) => pid);
}

describe('the foreground job without groups', () => {
  const shell = listed(10, 1);

  test('is the shell alone while it has no children', async () => {
    expect(await foreground([shell, listed(11, 1)])).toEqual([10]);
  });

  test('is the youngest of the deepest descendants, then come the others by age', async () => {
    const tree = [shell, listed(20, 10), listed(21, 20), listed(22, 20, { started: '2026-01-02 10:00:05' })];
    expect(await foreground([...tree, listed(23, 10)])).toEqual([22, 20, 21, 23]);
  });

  test('contains no dead process', async () => {
    expect(await foreground([shell, listed(20, 10, { state: 'zombie' })])).toEqual([10]);
    expect(await foreground([listed(10, 1, { state: 'zombie' })])).toBeUndefined();
    expect(await foreground([listed(9, 1)])).toBeUndefined();
  });

  test('contains no process older than its parent, whose pid was reused', async () => {
    expect(await foreground([shell, listed(20, 10, { started: '2025-12-31 10:00:00' })])).toEqual([10]);
  });

  test('survives a circle of parents', async () => {
    expect(await foreground([listed(10, 20), listed(20, 10)])).toEqual([20]);
  });
});

test('macOS: names, command lines, memory and CPU', async () => {
  const node = listed(10, 1, {
    name: 'node',
    path: '/opt/homebrew/bin',
    command: 'node',
    params: '/opt/homebrew/lib/node_modules/@openai/codex/bin/codex.js --full-auto',
    cpu: 120.5,
  });
  const joined = listed(11, 10, { name: 'python cli.py', command: 'python cli.py x', path: '', params: '' });
  const table = tableOf('darwin', [node, joined]);
  const snapshot = await table.snapshot();
  expect(snapshot.terminal(10)?.all).toEqual([
    expect.objectContaining({ name: 'node', cpu: { kind: 'percent', percent: 120.5 }, residentBytes: 2_048 }),
    expect.objectContaining({ name: 'python' }),
  ]);
  const script = '/opt/homebrew/lib/node_modules/@openai/codex/bin/codex.js';
  expect(await table.details([10, 11, 12])).toEqual(
    new Map([
      [10, { argv: ['/opt/homebrew/bin/node', script, '--full-auto'], exe: '/opt/homebrew/bin/node' }],
      [11, { argv: ['python', 'cli.py', 'x'], exe: null }],
    ]),
  );
});

test('Windows: quoted command lines, and CPU as a share of all cores', async () => {
  const exe = 'C:\\Program Files\\nodejs\\node.exe';
  const command = `"${exe}"  "C:\\My Modules\\cli.js" --name="a b" c`;
  const table = tableOf('win32', [listed(10, 1, { name: 'node.exe', command, path: exe, cpu: 12.5 })]);
  const snapshot = await table.snapshot();
  expect(snapshot.terminal(10)?.foreground[0]).toMatchObject({ name: 'node.exe', cpu: { percent: 100 } });
  const argv = [exe, 'C:\\My Modules\\cli.js', '--name=a b', 'c'];
  expect(await table.details([10])).toEqual(new Map([[10, { argv, exe }]]));
});

test('the library lists this process, its child and their memory', async () => {
  const child = spawn('sleep', ['1000']);
  try {
    await once(child, 'spawn');
    const table = processTable('darwin', 2);
    const found = (await table.snapshot()).terminal(process.pid);
    const memory = found?.all.find(({ pid }) => pid === process.pid)?.residentBytes;
    expect(memory).toBeGreaterThan(10e6);
    expect(found?.all.find(({ pid }) => pid === child.pid)?.name).toBe('sleep');
    expect((await table.details([child.pid!])).get(child.pid!)?.argv.slice(0, 1)).toEqual(['sleep']);
  } finally {
    child.kill('SIGKILL');
  }
});
