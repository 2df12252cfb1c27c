import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CaseEntry } from '../../bench/cases.js';
import type { Row } from '../../bench/report.js';
import { type RunCases, runCases } from '../../bench/run-cases.js';
import { compare } from '../../bench/support/baseline.js';
import type { Bench } from '../../bench/support/bench.js';
import { Progress } from '../../bench/support/progress.js';
import { Results } from '../../bench/support/results.js';

const MACHINE = { cores: 2, load: [3.2, 2, 1], busy: 0.754, others: 0.021, steal: 0 };
const MACHINE_LINE =
  'the machine meanwhile: 2 cores busy 75 %, by other programs 2.1 %, taken by the hypervisor 0.0 %; load average 3.2, 2.0, 1.0';

let folder: string;
let printed: string;
let shown: string;
let stop: AbortController;
let ended: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-test-'));
  [printed, shown, ended, stop] = ['', '', [], new AbortController()];
});

afterEach(() => rm(folder, { recursive: true }));

const rowOf = (name: string): Row => ({ name: `figure of ${name}`, value: 42, unit: 'ms' });

/** A case that measures at once. */
function quick(name: string, row: Partial<Row> = {}): CaseEntry {
  const measure = async ({ cleanup, progress }: Bench) => {
    cleanup.defer(async () => void ended.push(name));
    progress.round(1, 1);
    return [{ ...rowOf(name), ...row }];
  };
  return { measure, about: name };
}

/** A case that never ends by itself; resolves once it has begun. */
function endless(name: string): { entry: CaseEntry; begun: Promise<void> } {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const measure = ({ cleanup }: Bench) => {
    cleanup.defer(async () => void ended.push(name));
    begin();
    return new Promise<Row[]>(() => {});
  };
  return { entry: { measure, about: name }, begun };
}

function broken(name: string): CaseEntry {
  const measure = async ({ cleanup }: Bench) => {
    cleanup.defer(async () => void ended.push(name));
    throw new Error(`${name} is broken`, { cause: new Error('by a test') });
  };
  return { measure, about: name };
}

function run(cases: Record<string, CaseEntry>, more: Partial<RunCases> & { json?: boolean } = {}) {
  const { json = false, ...rest } = more;
  const print = (text: string) => {
    printed += text;
  };
  return runCases({
    ...{ names: Object.keys(cases), cases, args: ['--rounds', '1'], stop: stop.signal },
    sizes: { rounds: 1, scale: 1, peers: new Set(), agents: { count: 1, perSecond: 1 }, minutes: 1, seed: 1 },
    results: new Results({ folder: join(folder, 'results'), json, print }),
    progress: new Progress({ write: (text) => (shown += text) }, () => 0),
    judge: () => new Map(),
    machine: { begin: async () => {}, end: async () => MACHINE },
    ended: async () => 0,
    ...rest,
  });
}

const fileOf = (name: string) => readFile(join(folder, 'results', name), 'utf8');

describe('a run of the bench', () => {
  it('has each result out, printed and in its file, before the next case begins', async () => {
    const seen: string[] = [];
    const second = quick('second');
    const measure = async (bench: Bench) => {
      seen.push(printed, await fileOf('first.txt'));
      return second.measure(bench);
    };
    await run({ first: quick('first'), second: { ...second, measure } });
    expect(seen[0]).toMatch(/^first: .*; --rounds 1\n/);
    expect(seen[0]).toContain(`\n${MACHINE_LINE}\n`);
    expect(seen[0]).toMatch(/^figure of first +42\.0 ms$/m);
    expect(seen[1]).toBe(seen[0]);
    expect(printed).toBe((await fileOf('first.txt')) + (await fileOf('second.txt')));
  });

  it('that is stopped keeps what was finished, ends the case under way, and begins no other', async () => {
    const { entry, begun } = endless('second');
    const running = run({ first: quick('first'), second: entry, third: quick('third') });
    await begun;
    stop.abort();
    expect(await running).toEqual({ failed: [], isWorse: false });
    expect(ended).toEqual(['first', 'second']);
    expect(await readdir(join(folder, 'results'))).toEqual(['first.txt']);
    expect(await fileOf('first.txt')).toMatch(/figure of first/);
    expect(printed).toBe(await fileOf('first.txt'));
    expect(shown).toMatch(/\[2\/3\] second: stopped/);
    expect(shown).not.toMatch(/third/);
  });

  it('ends what a stopped case starts after the stop', async () => {
    let goOn = () => {};
    const late = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const measure = async ({ cleanup }: Bench) => {
      stop.abort();
      await late;
      cleanup.defer(async () => void ended.push('late'));
      return [];
    };
    await run({ first: { measure, about: '' } });
    goOn();
    await expect.poll(() => ended).toEqual(['late']);
  });

  it('goes on after a case that failed, and says why it failed', async () => {
    const outcome = await run({ first: broken('first'), second: quick('second') });
    expect(outcome.failed).toEqual(['first']);
    expect(ended).toEqual(['first', 'second']);
    expect(shown).toMatch(/first: Error: first is broken/);
    expect(shown).toMatch(/Error: by a test/);
    expect(await readdir(join(folder, 'results'))).toEqual(['second.txt']);
  });

  it('counts a case as failed that cannot end what it has started, and keeps its result', async () => {
    const measure = async ({ cleanup }: Bench) => {
      cleanup.defer(async () => Promise.reject(new Error('it does not end')));
      return [rowOf('first')];
    };
    const { failed } = await run({ first: { measure, about: '' } });
    expect(failed).toEqual(['first']);
    expect(shown).toMatch(/it does not end/);
    expect(await fileOf('first.txt')).toMatch(/figure of first/);
  });

  it('names the processes that had to be killed', async () => {
    await run({ first: quick('first') }, { ended: async () => 3 });
    expect(shown).toMatch(/first: 3 processes did not end and were killed/);
  });

  it('appends to the results of earlier runs', async () => {
    await run({ first: quick('first') });
    await run({ first: quick('first') });
    expect((await fileOf('first.txt')).match(/figure of first/g)).toHaveLength(2);
  });

  it('writes JSON, a line for each case', async () => {
    await run({ first: quick('first') }, { json: true });
    expect(await fileOf('first.jsonl')).toBe(printed);
    const result = JSON.parse(printed);
    expect(result).toMatchObject({ case: 'first', machine: MACHINE, rows: [rowOf('first')] });
  });

  it('is worse with a row that is worse than the baseline, or that misses a target it must meet', async () => {
    const target = { value: { max: 0 } };
    expect((await run({ first: quick('first', { target }) })).isWorse).toBe(false);
    expect((await run({ first: quick('first', { target, isRequired: true }) })).isWorse).toBe(true);
    const rows = { 'figure of first': { value: 1, unit: 'ms', tolerance: 0.2 } };
    const judge = (given: readonly Row[]) => compare(given, { rows });
    expect((await run({ first: quick('first') }, { judge })).isWorse).toBe(true);
  });
});
