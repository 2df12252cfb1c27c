import { describe, expect, it } from 'vitest';
import type { ProcessEntry } from '#dist/client/browser.js';
import { sizeOf } from '../../dashboard/src/fleet/sizes.js';
import {
  type Column,
  orderAfter,
  otherRow,
  ownRow,
  type ProcessRow,
  sortedRows,
} from '../../dashboard/src/processes/process-rows.js';

function row(name: string, cpu?: number, cwd: string | null = null): ProcessRow {
  const metrics = cpu === undefined ? undefined : { id: name, cpu, memory: cpu, timestamp: '' };
  const entry = { id: name, name, currentApp: { pid: 1, name: 'bash' } } as ProcessEntry;
  return ownRow(entry, { cwd, metrics });
}

function names(rows: ProcessRow[], by: Column, isDescending = false): string[] {
  return sortedRows(rows, { by, isDescending }).map(({ name }) => name);
}

describe('the order of processes', () => {
  const rows = [row('w10', 5), row('w9', 70, '/b'), row('w2', undefined, '/a'), row('w1', 5)];

  it('reads numbers within names', () => {
    expect(names(rows, 'name')).toEqual(['w1', 'w2', 'w9', 'w10']);
    expect(names(rows, 'name', true)).toEqual(['w10', 'w9', 'w2', 'w1']);
  });

  it('puts empty cells last in both directions, and equal ones by name', () => {
    expect(names(rows, 'cpu')).toEqual(['w1', 'w10', 'w9', 'w2']);
    expect(names(rows, 'cpu', true)).toEqual(['w9', 'w1', 'w10', 'w2']);
    expect(names(rows, 'cwd', true)).toEqual(['w9', 'w2', 'w1', 'w10']);
  });

  it('puts terminals of other machines behind own ones, whose figures are not known', () => {
    const place = { machineId: 'm_1', deviceName: 'lap', os: 'linux' as const };
    const other = otherRow({ id: 'o', title: 'w5', running: true, ...place });
    expect(names([other, ...rows], 'machine')).toEqual(['w1', 'w2', 'w9', 'w10', 'w5']);
    expect(names([other, ...rows], 'cpu', true)).toEqual(['w9', 'w1', 'w10', 'w2', 'w5']);
    expect(names([other, ...rows], 'name')).toEqual(['w1', 'w2', 'w5', 'w9', 'w10']);
  });

  it('begins with the large figures, and turns around at the second click', () => {
    const first = orderAfter({ by: 'name', isDescending: false }, 'cpu');
    expect(first).toEqual({ by: 'cpu', isDescending: true });
    expect(orderAfter(first, 'cpu')).toEqual({ by: 'cpu', isDescending: false });
    expect(orderAfter(first, 'name')).toEqual({ by: 'name', isDescending: false });
  });
});

it('writes sizes short', () => {
  expect([0, 1_023, 1_536, 12_900_000, 200 * 2 ** 30].map(sizeOf)).toEqual([
    '0 B',
    '1023 B',
    '1.5 KiB',
    '12.3 MiB',
    '200 GiB',
  ]);
});
