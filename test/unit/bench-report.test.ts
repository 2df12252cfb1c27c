import { describe, expect, it } from 'vitest';
import { isMet, isMoreBetter, type Row, ratioOf, toTable } from '../../bench/report.js';
import { compare } from '../../bench/support/baseline.js';

const faster: Row = { name: 'flood', value: 90, unit: 'MB/s', peer: { name: 'bare reader', value: 100 } };
const cheaper: Row = { name: 'flood: CPU', value: 8, unit: 's/GB', peer: { name: 'tmux', value: 10 } };
const alone: Row = { name: 'memory', value: 50, unit: 'KB' };

describe('a row of the bench', () => {
  it('has a ratio to its peer, and no ratio without a peer', () => {
    expect([faster, cheaper, alone].map(ratioOf)).toEqual([0.9, 0.8, undefined]);
  });

  it('meets a target of its ratio or of its figure, from both sides', () => {
    expect(isMet({ ...faster, target: { ratio: { min: 0.9 } } })).toBe(true);
    expect(isMet({ ...faster, target: { ratio: { min: 0.91 } } })).toBe(false);
    expect(isMet({ ...cheaper, target: { ratio: { max: 0.7 } } })).toBe(false);
    expect(isMet({ ...alone, target: { value: { max: 60 } } })).toBe(true);
    expect(isMet({ ...cheaper, target: { ratio: { max: 1 }, value: { max: 7 } } })).toBe(false);
  });

  it('neither meets nor misses a target of a ratio without a peer, nor a target that it has not', () => {
    expect(isMet({ ...alone, target: { ratio: { min: 1 } } })).toBeUndefined();
    expect(isMet(faster)).toBeUndefined();
  });

  it('misses its target with a figure that could not be measured', () => {
    expect(isMet({ ...alone, value: Number.NaN, target: { value: { max: 60 } } })).toBe(false);
  });

  it('takes the better direction from its own statement, its target or its unit', () => {
    expect(isMoreBetter(faster)).toBe(true);
    expect(isMoreBetter(cheaper)).toBe(false);
    expect(isMoreBetter({ ...alone, target: { value: { min: 1 } } })).toBe(true);
    expect(isMoreBetter({ ...faster, better: 'less' })).toBe(false);
  });

  it('shows its target, and whether it is worse than before', () => {
    const row: Row = { ...faster, target: { ratio: { min: 0.8 } } };
    const table = toTable([row], new Map([['flood', { before: 1.5, now: 0.9, worse: true }]]));
    expect(table).toMatch(
      /flood +90\.0 MB\/s +100 MB\/s +0\.90 +>= 0\.8 x met +1\.50 WORSE +beside bare reader/,
    );
  });
});

describe('the baseline', () => {
  const compared = (row: Row, ratio: number | undefined, tolerance: number | undefined, value = 1) =>
    compare([row], { rows: { [row.name]: { ratio, value, unit: row.unit, tolerance } } }).get(row.name);

  it('compares ratios with the earlier ratios, within the tolerance, in the worse direction', () => {
    expect(compared(faster, 1, 0.2)).toEqual({ before: 1, now: 0.9, worse: false });
    expect(compared(faster, 1.2, 0.2)).toEqual({ before: 1.2, now: 0.9, worse: true });
    expect(compared(faster, 0.1, 0.2)?.worse).toBe(false);
    expect(compared(cheaper, 0.7, 0.2)?.worse).toBe(false);
    expect(compared(cheaper, 0.6, 0.2)?.worse).toBe(true);
    expect(compared(cheaper, 6, 0.2)?.worse).toBe(false);
  });

  it('takes a figure that could not be measured for a worse one', () => {
    expect(compared({ ...faster, value: Number.NaN }, 1, 0.2)?.worse).toBe(true);
    expect(compared({ ...cheaper, value: Number.NaN }, 1, 0.2)?.worse).toBe(true);
  });

  it('shows figures without a peer, and judges them only by a tolerance of their own', () => {
    expect(compared(alone, undefined, undefined)).toEqual({ before: 1, now: 50, worse: false });
    expect(compared(alone, undefined, 0.2, 40)?.worse).toBe(true);
  });

  it('leaves out unknown rows, and rows that lost or gained their peer', () => {
    expect(compare([faster], { rows: {} }).size).toBe(0);
    expect(compared(faster, undefined, 0.2)).toBeUndefined();
    expect(compared(alone, 1, 0.2)).toBeUndefined();
  });
});
