import { describe, expect, test } from 'vitest';
import { reapPrograms } from '../support/reaped-programs.js';

const repeated = <T>(times: number, values: T[]): T[] => Array.from({ length: times }, () => values).flat();

describe.runIf(process.platform === 'linux')('programs on PTYs that end beside children of Node', () => {
  test('each end is reported to its waiter, and no zombie stays', async () => {
    const plan = { rounds: 60, programs: 5, children: 5, script: 'exit $((40 + INDEX))' };
    const { programs, children, zombies } = await reapPrograms(plan);
    expect(programs).toEqual(repeated(plan.rounds, [40, 41, 42, 43, 44]));
    expect(children).toEqual(repeated(plan.rounds, [40, 41, 42, 43, 44]));
    expect(zombies).toBe(0);
  });

  test('a child without a waiter blocks nothing, is left alone, and costs nothing', async () => {
    const plan = { rounds: 5, programs: 20, children: 2, script: 'exit INDEX' };
    const { programs, children, zombies, askedLater } = await reapPrograms(plan, { withOrphan: true });
    expect(programs).toEqual(
      repeated(
        plan.rounds,
        Array.from({ length: 20 }, (_, index) => index),
      ),
    );
    expect(children).toEqual(repeated(plan.rounds, [0, 1]));
    expect(zombies).toBe(1);
    expect(askedLater).toBe(0);
  });

  test('each end is asked for once or twice, however many run on', async () => {
    const plan = {
      rounds: 4,
      programs: 250,
      children: 0,
      script: 'exec sleep 1000',
      kill: 'SIGKILL' as const,
    };
    const { programs, zombies, asked } = await reapPrograms(plan);
    expect(programs).toEqual(repeated(1_000, [-9]));
    expect(zombies).toBe(0);
    // Three questions for each end: its pid, its status, and whether another program has ended.
    expect(asked).toBeLessThanOrEqual(3 * 1_000);
  });
});
