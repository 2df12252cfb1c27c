import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { picture } from '#dist/command/top/picture.js';
import { painter } from '#dist/command/top/style.js';
import { TopTable } from '#dist/command/top/table.js';
import { commandOf, viewOf } from '../support/terminal-view.js';

const plain = painter(false);
const withoutStyle = (line: string) => line.replace(/\x1b\[[\d;]*m/g, '');

function linesOf(table: TopTable, cols: number, rows: number, trouble = ''): string[] {
  return picture(table, { size: { cols, rows }, paint: plain, trouble }).map(withoutStyle);
}

function tableOf(...views: Parameters<typeof viewOf>[0][]): TopTable {
  const table = new TopTable('state');
  table.views = views.map(viewOf);
  return table;
}

const WORKER = {
  ...{ name: 'worker', labels: { role: 'test' }, createdAt: Date.now() },
  command: commandOf('git status', 1),
};

describe('the table', () => {
  test('has the columns for which there is room', () => {
    const titles = (cols: number) => linesOf(tableOf(WORKER), cols, 10)[1]?.trim().split(/\s+/);
    expect(titles(120)).toEqual(['STATE', 'NAME', 'RUNS', 'LAST', 'AGE', 'LABELS', 'ID']);
    expect(titles(72)).toEqual(['STATE', 'NAME', 'RUNS', 'LAST', 'AGE', 'LABELS']);
    expect(titles(40)).toEqual(['STATE', 'NAME', 'RUNS', 'LAST']);
    expect(titles(20)).toEqual(['STATE', 'NAME']);
    expect(titles(4)).toEqual(['STA…']);
  });

  test('shows who waits first, and what ran last', () => {
    const waiting = { name: 'agent', agent: 'claude', agentStatus: 'waiting' } as const;
    const lines = linesOf(tableOf(WORKER, waiting), 80, 6);
    expect(lines[0]).toBe('2 terminals  1 waiting  by state');
    expect(lines[2]).toMatch(/^waiting {2}agent {6}claude /);
    expect(lines[3]).toMatch(/^prompt {3}worker {5}bash {4}1 {2}git status +\d+s {2}role=test {2}term_/);
    expect(lines).toHaveLength(6);
  });

  test('shows how a program has ended', () => {
    const [, , first, second] = linesOf(
      tableOf({ status: 'exited', exitCode: 127 }, { status: 'exited', exitCode: null, signal: 'SIGKILL' }),
      80,
      6,
    );
    expect(first).toMatch(/^exited 127 {6}/);
    expect(second).toMatch(/^ended: SIGKILL {2}/);
  });

  test('has only as many rows as fit, and says which', () => {
    const table = tableOf(...Array.from({ length: 1_000 }, (_, n) => ({ name: `n${n}` })));
    table.press('end');
    const lines = linesOf(table, 80, 10);
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe('1000 terminals  rows 994 to 1000  by state');
    expect(lines[8]).toContain('n999');
  });

  test('shows no colour without colours, and then still the selection', () => {
    const table = tableOf(WORKER, { agentStatus: 'waiting' });
    const draw = (isColored: boolean) =>
      picture(table, { size: { cols: 80, rows: 10 }, paint: painter(isColored), trouble: 'old' }).join('');
    expect(draw(false)).not.toMatch(/\x1b\[[\d;]*3\d/);
    expect(draw(false)).toContain('\x1b[7m');
    expect(draw(true)).toMatch(/\x1b\[[\d;]*31m/);
  });

  test('says what it asks, what is typed, what has happened, and that it is old', () => {
    const table = tableOf({ ...WORKER, clients: 1 });
    table.press('c');
    expect(linesOf(table, 100, 5)[4]).toMatch(/^Close worker, .*y\/n$/);
    for (const key of ['n', '/', ...'a long filter']) table.press(key);
    expect(linesOf(table, 12, 5)[4]).toBe('/ong filter ');
    expect(linesOf(table, 80, 5).join('\n')).toContain('Nothing has a long filter');
    table.press('escape');
    table.message = 'gone';
    expect(linesOf(table, 80, 5)[4]).toBe('gone');
    expect(linesOf(table, 80, 5, 'No answer')[0]).toBe('No answer');
    expect(linesOf(tableOf(), 80, 5).join('\n')).toContain('auto-terminal new');
  });

  test('is never wider than the screen or higher, and nothing in it moves the cursor', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '漢字かな',
        '\x1b[2J\x1b[H',
        'a\r\nb',
        '\u202eabc',
        '\x9b5A',
        'e\u0301',
        '👩‍👩‍👧',
        '🎉',
      ),
    );
    const name = fc.array(text, { maxLength: 4 }).map((parts) => parts.join(''));
    const view = fc.record({ name, line: name, label: name, app: name });
    fc.assert(
      fc.property(
        fc.array(view, { maxLength: 6 }),
        fc.integer({ min: 1, max: 100 }),
        fc.nat(12),
        fc.constantFrom([], ['c'], ['?'], ['/', '漢']),
        (list, cols, rows, keys) => {
          const table = tableOf(
            ...list.map(({ name, line, label, app }) => ({
              ...{ name, command: commandOf(line, 0), labels: { label } },
              currentApp: { pid: 1, name: app },
            })),
          );
          for (const key of keys) table.press(key);
          const lines = linesOf(table, cols, rows);
          expect(lines).toHaveLength(rows);
          for (const line of lines) {
            expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
            expect(stringWidth(line)).toBeLessThanOrEqual(cols);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
