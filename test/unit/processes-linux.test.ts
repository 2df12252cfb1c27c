import { describe, expect, test } from 'vitest';
import { LinuxProcesses } from '#dist/actors/processes/linux.js';
import { parseUnits } from '#dist/actors/processes/proc-files.js';
import { parseStat } from '#dist/actors/processes/proc-stat.js';
import { type ProcessTable, shared } from '#dist/actors/processes/process-table.js';
import { type FakeProcess, fakeProc, statLine } from '../support/fake-proc.js';

/** A line of /proc/<pid>/stat from Linux 6. */
const REAL =
  '2417 (node) S 2401 2417 2401 34817 2417 4194304 3852 12 1 0 57 21 3 4 20 0 11 0 984211 1105985536 12655 ' +
  '18446744073709551615 1 1 0 0 0 0 0 16781312 134235650 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n';

describe('a stat line', () => {
  test('of a real process', () => {
    expect(parseStat(REAL)).toEqual({
      pid: 2417,
      name: 'node',
      state: 'S',
      parent: 2401,
      group: 2417,
      session: 2401,
      foreground: 2417,
      ticks: 78,
      childTicks: 7,
      startedAt: 984211,
      residentPages: 12655,
    });
  });

  test('tells where the command line is, and nothing where the kernel hides it', () => {
    const fields = REAL.trim().split(' ');
    const at = (start: string, end: string) => parseStat(fields.with(47, start).with(48, end).join(' '));
    expect(at('140736', '140790')).toMatchObject({ argumentsAt: '140736-140790' });
    expect(at('0', '0')).not.toHaveProperty('argumentsAt');
  });

  test.each(['Web Content', 'a) S 1 2 3 (b', '((sd-pam))', ')', '', 'tmux: server'])(
    'whose name is `%s`',
    (name) => {
      const stat = parseStat(statLine({ pid: 7, name, session: 3, foreground: 9 }));
      expect(stat).toMatchObject({ pid: 7, name, session: 3, foreground: 9 });
    },
  );

  test.each(['', '17', '17 (sh', '17 (sh) S 1 2', 'x (sh) S 1 2 3 4 5 6 7 8'])(
    'that is invalid: `%s`',
    (text) => {
      expect(parseStat(text)).toBeNull();
    },
  );
});

describe('the foreground job', () => {
  const pidsOf = async (table: ProcessTable, shell: number) =>
    (await table.snapshot()).terminal(shell)?.foreground.map(({ pid }) => pid);

  test('is the shell alone while nothing else runs', async () => {
    const table = new LinuxProcesses(fakeProc([{ pid: 10, session: 10, group: 10, foreground: 10 }]));
    expect(await pidsOf(table, 10)).toEqual([10]);
  });

  test("is led by its group's leader, then come the others by age", async () => {
    const job = { session: 10, group: 20, foreground: 20 };
    const table = new LinuxProcesses(
      fakeProc([
        { pid: 10, session: 10, group: 10, foreground: 20 },
        { pid: 22, ...job, startedAt: 3 },
        { pid: 21, ...job, startedAt: 9 },
        { pid: 20, ...job, startedAt: 5 },
        { pid: 30, session: 10, group: 30, foreground: 20, name: 'in the background' },
        { pid: 40, session: 40, group: 20, foreground: 20, name: 'elsewhere' },
      ]),
    );
    expect(await pidsOf(table, 10)).toEqual([20, 22, 21]);
  });

  test('is its oldest living member if the leader has gone, or is a zombie', async () => {
    const shell = { pid: 10, session: 10, group: 10, foreground: 20 };
    const others = [
      { pid: 25, session: 10, group: 20, foreground: 20, startedAt: 8 },
      { pid: 24, session: 10, group: 20, foreground: 20, startedAt: 8 },
      { pid: 23, session: 10, group: 20, foreground: 20, startedAt: 9 },
    ];
    const zombie = { pid: 20, session: 10, group: 20, foreground: 20, state: 'Z' };
    expect(await pidsOf(new LinuxProcesses(fakeProc([shell, ...others])), 10)).toEqual([24, 25, 23]);
    expect(await pidsOf(new LinuxProcesses(fakeProc([shell, zombie, ...others])), 10)).toEqual([24, 25, 23]);
  });

  test('is the shell if the whole job has gone', async () => {
    const table = new LinuxProcesses(fakeProc([{ pid: 10, session: 10, group: 10, foreground: 20 }]));
    expect(await pidsOf(table, 10)).toEqual([10]);
  });

  describe('of a shell that runs under a wrapper, as in tmux', () => {
    const wrapper = { pid: 10, session: 10, group: 10, foreground: 11, startedAt: 1 };
    const inner = { pid: 12, parent: 10, session: 10, group: 10, foreground: 11, startedAt: 2 };
    const shell = { pid: 11, parent: 12, session: 10, group: 11, foreground: 11, startedAt: 3 };
    const terminal = async (...processes: FakeProcess[]) => {
      const table = new LinuxProcesses(fakeProc(processes));
      const found = (await table.snapshot()).terminal(11);
      return found && { all: found.all.map(({ pid }) => pid), job: found.foreground.map(({ pid }) => pid) };
    };

    test('is the shell alone, and its processes exclude the wrapper', async () => {
      const behind = { pid: 30, parent: 11, session: 10, group: 30, foreground: 11 };
      expect(await terminal(wrapper, inner, shell, behind)).toEqual({ all: [11, 30], job: [11] });
    });

    test("is a program in the group of the wrapper, which leads it, and the program's children", async () => {
      const program = { ...shell, group: 10, foreground: 10 };
      const child = { pid: 13, parent: 11, session: 10, group: 10, foreground: 10, startedAt: 4 };
      const waiting = [wrapper, inner].map((process) => ({ ...process, foreground: 10 }));
      expect(await terminal(...waiting, child, program)).toEqual({ all: [13, 11], job: [11, 13] });
    });

    test('is a job of the shell', async () => {
      const job = { pid: 20, parent: 11, session: 10, group: 20, foreground: 20 };
      const others = [wrapper, inner, shell].map((process) => ({ ...process, foreground: 20 }));
      expect(await terminal(...others, job)).toEqual({ all: [11, 20], job: [20] });
    });

    test('is the shell also when the wrapper has been killed', async () => {
      expect(await terminal({ ...shell, parent: 1 })).toEqual({ all: [11], job: [11] });
    });

    test('is found, however inconsistent the lines are that were read one after the other', async () => {
      expect(await terminal({ ...wrapper, parent: 12 }, inner, shell)).toEqual({ all: [11], job: [11] });
      expect(await terminal({ ...shell, parent: 11 })).toEqual({ all: [11], job: [11] });
    });
  });

  test('is empty without a shell, or if it is dead', async () => {
    const dead = { pid: 11, session: 11, group: 11, foreground: 11, state: 'Z' };
    const orphan = { pid: 13, session: 12, group: 13, foreground: 13 };
    const table = new LinuxProcesses(fakeProc([dead, orphan]));
    for (const shell of [10, 11, 12]) expect(await pidsOf(table, shell)).toBeUndefined();
  });
});

describe('a snapshot', () => {
  test('leaves out processes that end while it is taken', async () => {
    const files = fakeProc([
      { pid: 10, session: 10, group: 10, foreground: 10 },
      { pid: 11, session: 10, group: 11, foreground: 10 },
    ]);
    const list = async () => [...(await files.list()), '12', 'self', 'meminfo'];
    const snapshot = await new LinuxProcesses({ ...files, list }).snapshot();
    expect(snapshot.terminal(10)?.all.map(({ pid }) => pid)).toEqual([10, 11]);
    expect(files.reads).toEqual(['10/stat', '11/stat', '12/stat']);
  });

  test.each([
    ['do_wait', false],
    ['sigsuspend.isra.0', false],
    ['pipe_read', false],
    ['0', false],
    ['wait_woken', true],
    ['poll_schedule_timeout.constprop.0', true],
  ])(
    'reports whether a shell that waits in %s beside others of its job awaits input',
    async (wchan, awaitsInput) => {
      const shell = { pid: 10, session: 10, group: 10, foreground: 10, wchan };
      const left = { pid: 11, session: 10, group: 10, foreground: 10 };
      const snapshot = await new LinuxProcesses(fakeProc([shell, left])).snapshot();
      expect(snapshot.terminal(10)?.awaitsInput).toBe(awaitsInput);
      const alone = await new LinuxProcesses(fakeProc([shell])).snapshot();
      expect(alone.terminal(10)).not.toHaveProperty('awaitsInput');
    },
  );

  test('gives seconds and bytes, whatever the units of the machine', async () => {
    const usage = { ticks: 500, childTicks: 50, residentPages: 3 };
    const files = fakeProc([{ pid: 10, session: 10, group: 10, foreground: 10, startedAt: 77, ...usage }]);
    const snapshot = await new LinuxProcesses({
      ...files,
      units: { pageBytes: 65_536, ticksPerSecond: 250 },
    }).snapshot();
    expect(snapshot.terminal(10)?.all).toEqual([
      {
        pid: 10,
        name: 'p10',
        startedAt: 77,
        cpu: { kind: 'seconds', own: 2, children: 0.2 },
        residentBytes: 196_608,
        isAsleep: true,
      },
    ]);
  });

  test('is shared by all callers while it is taken; later callers get another', async () => {
    const files = fakeProc([{ pid: 10, session: 10, group: 10, foreground: 10 }]);
    const table = shared(new LinuxProcesses(files));
    const [first, second] = await Promise.all([table.snapshot(), table.snapshot()]);
    expect(first).toBe(second);
    expect(files.lists()).toBe(1);
    expect(await table.snapshot()).not.toBe(first);
    expect(files.lists()).toBe(2);
  });

  test('that fails is not shared', async () => {
    const files = fakeProc([{ pid: 10, session: 10, group: 10, foreground: 10 }]);
    let isBroken = true;
    const list = () => (isBroken ? Promise.reject(new Error('broken')) : files.list());
    const table = shared(new LinuxProcesses({ ...files, list }));
    await expect(table.snapshot()).rejects.toThrow('broken');
    isBroken = false;
    expect((await table.snapshot()).terminal(10)).not.toBeNull();
  });
});

describe('details', () => {
  test('are the command line and the executable', async () => {
    const files = fakeProc([
      { pid: 1, cmdline: 'vim\0two words\0\0', exe: '/usr/bin/vim.basic' },
      { pid: 2, cmdline: 'claude\0\0\0\0\0', exe: '/opt/node (deleted)' },
      { pid: 3, cmdline: '', exe: null },
    ]);
    expect(await new LinuxProcesses(files).details([1, 2, 3, 4])).toEqual(
      new Map([
        [1, { argv: ['vim', 'two words'], exe: '/usr/bin/vim.basic' }],
        [2, { argv: ['claude'], exe: '/opt/node' }],
        [3, { argv: [], exe: null }],
      ]),
    );
  });
});

test('the units come from the auxiliary vector', () => {
  const wide = Buffer.alloc(64);
  for (const [index, word] of [33, 0x7fff_f7fc, 6, 16_384, 17, 1_000, 0, 0].entries()) {
    wide.writeUIntLE(word, index * 8, 6);
  }
  expect(parseUnits(wide, 'x64')).toEqual({ pageBytes: 16_384, ticksPerSecond: 1_000 });
  const narrow = Buffer.alloc(24);
  for (const [index, word] of [6, 4_096, 17, 100, 0, 0].entries()) narrow.writeUInt32LE(word, index * 4);
  expect(parseUnits(narrow, 'arm')).toEqual({ pageBytes: 4_096, ticksPerSecond: 100 });
});
