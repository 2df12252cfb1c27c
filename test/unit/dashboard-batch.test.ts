import { describe, expect, it } from 'vitest';
import { diffOf, foldedDiff, MAX_DIFF_LINES } from '../../dashboard/src/batch/diff.js';
import {
  type BatchRow,
  groupsOf,
  hasFailed,
  outcomeOf,
  summaryOf,
} from '../../dashboard/src/batch/groups.js';
import { outputAfter } from '../../dashboard/src/batch/pieces.js';
import { csvOf, jsonOf } from '../../dashboard/src/batch/table-file.js';
import { namesOf, rangeOf, targetsOf } from '../../dashboard/src/batch/targets.js';
import type { FleetTerminal } from '../../dashboard/src/fleet/after-event.js';
import { filterOf } from '../../dashboard/src/fleet/filter.js';

let last = 0;
function row(output: string, result: Partial<NonNullable<BatchRow['result']>> = {}): BatchRow {
  const terminalId = `t${++last}`;
  const outcome = { success: true, done: true, exitCode: 0, durationMs: 5, truncated: false };
  return {
    terminalId,
    name: terminalId,
    output,
    result: { terminalId, ...outcome, integration: 'shell', waitedBy: null, ...result } as BatchRow['result'],
  };
}

describe('groups of a batch', () => {
  it('compares with the most frequent output, and keeps failures apart', () => {
    const rows = [
      ...Array.from({ length: 97 }, () => row('v1')),
      row('v2'),
      row('v3'),
      row('v1', { exitCode: 2 }),
    ];
    expect(summaryOf(rows)).toBe('97 same, 2 differ, 1 failed');
    expect(groupsOf(rows).map(({ verdict, rows }) => [verdict, rows.length])).toEqual([
      ['failed', 1],
      ['differs', 1],
      ['differs', 1],
      ['same', 97],
    ]);
  });

  it('never counts an unknown end as success', () => {
    const untold = row('v1', { exitCode: null, reason: 'untold' });
    const late = row('v1', { done: false, exitCode: null, reason: 'running' });
    expect(summaryOf([row('v1'), untold, late])).toBe('1 same, 2 unknown');
    expect(outcomeOf(untold)).toBe('exit unknown: nothing reported its end');
    expect(outcomeOf(late)).toBe('not ended in time, goes on');
    expect([untold, late].some(hasFailed)).toBe(false);
  });

  it('calls no outputs the same of which only the ends are kept', () => {
    const cut = [row('the end', { truncated: true }), row('the end', { truncated: true })];
    expect(summaryOf(cut)).toBe('2 unknown');
    expect(groupsOf(cut).map(({ verdict, outcome }) => [verdict, outcome])).toEqual([
      ['unknown', 'exit 0, of its output the end alone is known'],
    ]);
    expect(summaryOf([...cut, row('v1', { truncated: true })])).toBe('2 unknown, 1 differs');
    expect(cut.some(hasFailed)).toBe(false);
  });

  it('shows what runs as running, whatever it has printed', () => {
    const running = ['a', 'b'].map((output) => ({ ...row(output), result: undefined }));
    expect(groupsOf(running).map(({ verdict, rows }) => [verdict, rows.length])).toEqual([['running', 2]]);
  });

  it('runs again what was not typed', () => {
    const refused = row('', { success: false, done: false, exitCode: null, error: 'Not typed: busy' });
    expect(hasFailed(refused)).toBe(true);
    expect(outcomeOf(refused)).toBe('Not typed: busy');
  });
});

describe('the diff', () => {
  const kinds = (a: string, b: string) => diffOf(a, b)?.map(({ kind, text }) => `${kind} ${text}`);

  it('finds what is gone and what is new', () => {
    expect(kinds('a\nb\nc\nd\n', 'a\nx\nc\nd\ne\n')).toEqual([
      'both a',
      'gone b',
      'new x',
      'both c',
      'both d',
      'new e',
    ]);
    expect(kinds('', 'a')).toEqual(['new a']);
    expect(kinds('a\nb', 'b\na')).toEqual(['gone a', 'both b', 'new a']);
    expect(kinds('a\n', 'a')).toEqual(['both a']);
  });

  it('restores both texts', () => {
    const text = (seed: number) =>
      Array.from({ length: 60 }, (_, at) => String((at * seed * 7 + (at % seed)) % 5)).join('\n');
    for (const [a, b] of [
      [text(2), text(3)],
      [text(5), text(4)],
      [text(3), ''],
    ] as const) {
      const diff = diffOf(a, b)!;
      const without = (kind: string) => diff.filter((line) => line.kind !== kind).map(({ text }) => text);
      expect(without('new').join('\n')).toBe(a);
      expect(without('gone').join('\n')).toBe(b);
    }
  });

  it('gives up above its bound', () => {
    const long = 'x\n'.repeat(MAX_DIFF_LINES + 1);
    expect(diffOf(long, 'x')).toBeUndefined();
    expect(diffOf('x\n'.repeat(MAX_DIFF_LINES), 'y\n'.repeat(MAX_DIFF_LINES))).toHaveLength(
      2 * MAX_DIFF_LINES,
    );
  });

  it('folds what is far from a difference', () => {
    const lines = Array.from({ length: 20 }, (_, at) => String(at));
    const folded = foldedDiff(diffOf(lines.join('\n'), [...lines, 'new'].join('\n'))!);
    expect(folded[0]).toEqual({ kind: 'folded', count: 17 });
    expect(folded).toHaveLength(5);
  });
});

describe('files of a batch', () => {
  it('quotes what CSV needs quoted, and disarms formulas', () => {
    const [, line] = csvOf([{ ...row('a "b"\nc'), name: '=1+1' }]).split('\r\n');
    expect(line).toMatch(/^t\d+,'=1\+1,same,exit 0,0,5,false,"a ""b""\nc"$/);
  });

  it('holds everything in JSON', () => {
    const { command, results } = JSON.parse(jsonOf('true', [row('=x')]));
    expect(command).toBe('true');
    expect(results[0]).toMatchObject({ verdict: 'same', exitCode: 0, output: '=x' });
  });
});

it('takes drawn-over lines back', () => {
  const piece = (text: string) => ({ type: 'output', terminalId: 't', text }) as const;
  const redrawn = (lines: number) => ({ type: 'redrawn', terminalId: 't', lines }) as const;
  expect(outputAfter('a\nb\nc', redrawn(2))).toBe('a\n');
  expect(outputAfter('a\nb\n', redrawn(1))).toBe('a\n');
  expect(outputAfter('a\n', redrawn(5))).toBe('');
  expect(outputAfter('a\n', piece('b'))).toBe('a\nb');
});

describe('targets of a batch', () => {
  const terminal = (id: string, labels: Record<string, string> = {}, status = 'running') =>
    ({ id, name: id, labels, status, agent: null, agentStatus: null, command: null }) as FleetTerminal;
  const all = new Map(
    [terminal('a', { role: 'test' }), terminal('b'), terminal('c', { role: 'test' }, 'exited')].map(
      (each) => [each.id, each],
    ),
  );

  it('is never all of them without a word', () => {
    expect(targetsOf(new Set(), all, filterOf(''))).toBeUndefined();
    expect(targetsOf(new Set(), all, filterOf('status:idle'))).toBeUndefined();
    expect(targetsOf(new Set(), all, filterOf('role=test words'))).toBeUndefined();
    expect(targetsOf(new Set(), all, filterOf('role=none'))).toBeUndefined();
  });

  it('is the selection, else the labels of the filter', () => {
    expect(targetsOf(new Set(), all, filterOf('role=test'))).toMatchObject({
      select: 'role=test',
      terminals: [{ id: 'a' }],
    });
    expect(targetsOf(new Set(['b', 'c', 'gone']), all, filterOf('role=test'))).toMatchObject({
      select: ['b'],
      exited: 1,
    });
  });

  it('takes ranges in the order shown, in both directions', () => {
    expect(rangeOf(['a', 'b', 'c', 'd'], 'c', 'a')).toEqual(['a', 'b', 'c']);
    expect(rangeOf(['a', 'b'], undefined, 'b')).toEqual(['b']);
    expect(rangeOf(['a', 'b'], 'gone', 'b')).toEqual(['b']);
  });

  it('names the first', () => {
    expect(namesOf(['a', 'b', 'c'])).toBe('a, b, c');
    expect(namesOf(['a', 'b', 'c', 'd'])).toBe('a, b, c and 1 more');
  });
});
