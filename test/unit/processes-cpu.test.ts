import { describe, expect, test } from 'vitest';
import { CpuMeter } from '#dist/actors/processes/cpu-meter.js';
import { cpuPercent, sampleCpu } from '#dist/actors/processes/cpu-use.js';
import type { ProcessInfo, ProcessTable } from '#dist/actors/processes/process-table.js';

function info(pid: number, own: number, children = 0, startedAt = 0): ProcessInfo {
  const cpu = { kind: 'seconds', own, children } as const;
  return { pid, name: 'x', startedAt, cpu, residentBytes: 1_000 };
}

/** Returns the percent of CPU used over one second on a machine of 4 cores. */
function between(before: ProcessInfo[], after: ProcessInfo[]): number {
  return cpuPercent(sampleCpu(before, 5_000), sampleCpu(after, 6_000), 4);
}

describe('CPU use between two samples', () => {
  test.each<[what: string, before: ProcessInfo[], after: ProcessInfo[], percent: number]>([
    ['idle', [info(1, 9)], [info(1, 9)], 0],
    ['half a core', [info(1, 1)], [info(1, 1.5)], 50],
    ['two processes', [info(1, 1), info(2, 2)], [info(1, 2), info(2, 2.75)], 175],
    ['a new process counts whole', [info(1, 1)], [info(1, 1), info(2, 0.3)], 30],
    ['a child that came and went counts by its parent', [info(1, 1, 5)], [info(1, 1, 5.8)], 80],
    [
      'a child that ended brings its past along, which does not count',
      [info(1, 1), info(2, 90)],
      [info(1, 1, 90.1)],
      10,
    ],
    [
      'a process that ended unseen takes nothing from the others',
      [info(1, 1), info(2, 90)],
      [info(1, 1.4)],
      40,
    ],
    [
      'another process with the pid of one that ended',
      [info(1, 1), info(2, 90, 0, 3)],
      [info(1, 1, 90), info(2, 0.2, 0, 8)],
      20,
    ],
    ['never more than all cores', [info(1, 1)], [info(1, 1, 3_600)], 400],
    ['never less than nothing', [info(1, 5)], [info(1, 4)], 0],
  ])('%s', (_what, before, after, percent) => {
    expect(between(before, after)).toBe(percent);
  });

  test("is the platform's own figure if it measures by itself", () => {
    const measured = (percent: number): ProcessInfo => ({ ...info(1, 0), cpu: { kind: 'percent', percent } });
    expect(between([measured(1)], [measured(30), measured(12.34)])).toBe(42.3);
  });
});

describe('the meter', () => {
  /** A process table in which the shell 7 uses half a core. */
  function table() {
    const taken: number[] = [];
    const fake: ProcessTable = {
      cpuIntervalMs: 1,
      details: async () => new Map(),
      wakings: () => null,
      areThreadsAsleep: () => undefined,
      cwd: () => null,
      identify: () => null,
      snapshot: async () => {
        const takenAt = performance.now();
        taken.push(takenAt);
        const all = [info(7, (takenAt / 1_000) * 0.5), info(8, 3)];
        const foreground: [ProcessInfo] = [all[0]!];
        return { takenAt, terminal: (pid) => (pid === 7 ? { all, foreground } : null) };
      },
    };
    return { fake, taken };
  }

  test('takes two snapshots at first, and one more when asked again, far enough apart', async () => {
    const { fake, taken } = table();
    const meter = new CpuMeter(fake, 4);
    expect(await meter.measure('a', 7)).toEqual({ cpu: 50, memory: 2_000 });
    expect(taken).toHaveLength(2);
    expect(await meter.measure('a', 7)).toEqual({ cpu: 50, memory: 2_000 });
    expect(taken).toHaveLength(3);
    for (const [index, at] of taken.slice(1).entries()) expect(at - taken[index]!).toBeGreaterThan(190);
  });

  test('measures once for simultaneous callers', async () => {
    const { fake, taken } = table();
    const meter = new CpuMeter(fake, 4);
    const [first, second] = await Promise.all([meter.measure('a', 7), meter.measure('a', 7)]);
    expect(first).toEqual(second);
    expect(taken).toHaveLength(2);
  });

  test('forgets a terminal with its sample', async () => {
    const { fake, taken } = table();
    const meter = new CpuMeter(fake, 4);
    await meter.measure('a', 7);
    meter.keepOnly(new Set(['b']));
    await meter.measure('a', 7);
    expect(taken).toHaveLength(4);
  });

  test('has no figures for a missing shell', async () => {
    expect(await new CpuMeter(table().fake, 4).measure('a', 9)).toBeNull();
  });
});
