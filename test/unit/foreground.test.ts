import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Foreground } from '../../src/actors/processes/foreground.js';
import type { ProcessInfo, Snapshot } from '../../src/actors/processes/process-table.js';

/** Processes of one terminal, whose program is process 1; `all` includes the background processes. */
interface Seen {
  foreground: number[];
  all?: number[];
  /** CPU seconds of the program. */
  used?: number;
  isAsleep?: boolean;
  /** Whether all its threads sleep; by default, that is not reported. */
  areThreadsAsleep?: boolean;
  /** How often the program has been woken. */
  wakings?: number;
  awaitsInput?: boolean;
}

const info = (pid: number, { used = 0, isAsleep = true }: Partial<Seen> = {}): ProcessInfo => ({
  ...{ pid, name: `p${pid}`, startedAt: 0, residentBytes: 0, isAsleep },
  cpu: { kind: 'seconds', own: used, children: 0 },
});

/** A process table that shows these states in turn, and then the last state again and again. */
function table(seen: Array<Seen | null>) {
  let looks = 0;
  const snapshot = async (): Promise<Snapshot> => {
    const now = seen[Math.min(looks++, seen.length - 1)] ?? null;
    const infos = (pids: number[]) => pids.map((pid) => info(pid, now ?? {}));
    return {
      takenAt: 0,
      terminal: () =>
        now && {
          foreground: infos(now.foreground) as [ProcessInfo, ...ProcessInfo[]],
          all: infos(now.all ?? now.foreground),
          ...(now.awaitsInput !== undefined && { awaitsInput: now.awaitsInput }),
        },
    };
  };
  const details = async (pids: readonly number[]) =>
    new Map(pids.map((pid) => [pid, { argv: ['dash', `${pid}`], exe: null }]));
  const wakings = () => seen[Math.min(looks, seen.length) - 1]?.wakings ?? 0;
  const areThreadsAsleep = () => seen[Math.min(looks, seen.length) - 1]?.areThreadsAsleep;
  return { snapshot, details, wakings, areThreadsAsleep, looks: () => looks };
}

describe('the holder of the foreground', () => {
  it.each<[string, Seen | null, object]>([
    ['its program alone', { foreground: [1] }, { who: 'own', argv: ['dash', '1'] }],
    ['what it runs', { foreground: [2] }, { who: 'others', areAsleep: true }],
    ['what it runs and works', { foreground: [2], isAsleep: false }, { who: 'others', areAsleep: false }],
    ['its program with others', { foreground: [1, 2] }, { who: 'others', areAsleep: true }],
    [
      'its program, which waits for none of the others',
      { foreground: [1, 2], awaitsInput: true },
      { who: 'own', argv: ['dash', '1'] },
    ],
    [
      'its program, which waits for them',
      { foreground: [1, 2], awaitsInput: false },
      { who: 'others', areAsleep: true },
    ],
    ['nobody that is told of', null, { who: 'unknown' }],
  ])('%s', async (_name, seen, holder) => {
    expect(await new Foreground({ table: table([seen]), isTold: true }).holder(1)).toEqual(holder);
  });

  it('is unknown, without a look, if the platform does not report it', async () => {
    const source = table([{ foreground: [1] }]);
    const foreground = new Foreground({ table: source, isTold: false });
    expect(await foreground.holder(1)).toEqual({ who: 'unknown' });
    expect(await foreground.rests(1, new AbortController().signal)).toBe('unknown');
    expect(source.looks()).toBe(0);
  });
});

describe('a program that rests', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Resolves with the number of looks until the program rests; undefined if it does not rest within ten looks. */
  async function looksUntilRest(seen: Seen[], isAlone = false): Promise<number | undefined> {
    const source = table(seen);
    const foreground = new Foreground({ table: source, isTold: true });
    const controller = new AbortController();
    let looks: number | undefined;
    const rests = foreground.rests(1, controller.signal, { isAlone }).then(
      () => {
        looks = source.looks();
      },
      () => undefined,
    );
    while (looks === undefined && source.looks() < 10) await vi.advanceTimersByTimeAsync(100);
    controller.abort(new Error('over'));
    await rests;
    expect(vi.getTimerCount()).toBe(0);
    return looks;
  }

  it.each<[string, Seen[], number | undefined]>([
    ['asleep at two looks', [{ foreground: [1] }], 2],
    ['that has used CPU between them', [{ foreground: [1] }, { foreground: [1], used: 0.01 }], 3],
    ['that runs', [{ foreground: [1], isAsleep: false }], undefined],
    ['behind what it runs', [{ foreground: [2] }, { foreground: [2] }, { foreground: [1] }], 4],
    ['that something else came between', [{ foreground: [1] }, { foreground: [2] }, { foreground: [1] }], 4],
    ['with another in its job', [{ foreground: [1, 2] }], undefined],
    ['with another in its job that it does not wait for', [{ foreground: [1, 2], awaitsInput: true }], 2],
    ['with others in the background', [{ foreground: [1], all: [1, 2] }], 2],
  ])('%s', async (_name, seen, looks) => {
    expect(await looksUntilRest(seen)).toBe(looks);
  });

  it('has no thread at work that its main thread waits for', async () => {
    const seen = [false, false, true].map((areThreadsAsleep) => ({ foreground: [1], areThreadsAsleep }));
    expect(await looksUntilRest(seen)).toBe(3);
  });

  it('must be alone on request, so not while others are in the background', async () => {
    const busy = { foreground: [1], all: [1, 2] };
    expect(await looksUntilRest([busy, busy, { foreground: [1] }], true)).toBe(4);
  });

  it('must be alone on request, so not while it is woken, as by ends of programs in a row', async () => {
    const [one, two] = [1, 2].map((wakings) => ({ foreground: [1], wakings })) as [Seen, Seen];
    expect(await looksUntilRest([one, two, one, two, two], true)).toBe(5);
    expect(await looksUntilRest([one, two])).toBe(2);
  });

  it('is looked at once for all callers', async () => {
    const source = table([{ foreground: [1] }]);
    const foreground = new Foreground({ table: source, isTold: true });
    const ask = () => foreground.rests(1, new AbortController().signal);
    const all = Promise.all(Array.from({ length: 300 }, ask));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(new Set(await all)).toEqual(new Set(['rests']));
    expect([source.looks(), vi.getTimerCount()]).toEqual([2, 0]);
  });

  it('is given up with the reason of the signal, even if that has fired already', async () => {
    const foreground = new Foreground({ table: table([{ foreground: [2] }]), isTold: true });
    const controller = new AbortController();
    const asked = foreground.rests(1, controller.signal);
    controller.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
    await expect(foreground.rests(1, controller.signal)).rejects.toThrow('left');
    expect(vi.getTimerCount()).toBe(0);
  });
});
