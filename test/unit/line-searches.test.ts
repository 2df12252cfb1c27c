import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_REGEX_LINES_PER_S } from '../../src/contract/limits.js';
import type { LineMatch } from '../../src/workers/shard/watches/line-matches.js';
import { LineSearches } from '../../src/workers/shard/watches/line-searches.js';
import type { FoundLines, LineSearch } from '../../src/workers/shard/watches/watch-api.js';

const search = (id: string, more: Partial<LineSearch> = {}): LineSearch => ({
  ...{ id, text: `text of ${id}`, isWhole: false, selector: null, terminals: null },
  ...more,
});
const line = (owner: LineSearch, text = 'x', number = 0): LineMatch<LineSearch> => ({
  owner,
  line: number,
  text,
});

let reports: FoundLines[];
let searches: LineSearches;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  reports = [];
  searches = new LineSearches((found) => void reports.push(found));
});
afterEach(() => void vi.useRealTimers());

/** Returns the ids of the searches in a terminal. */
function idsIn(id: string): string[] {
  const found: string[] = [];
  const literals = searches.of(id);
  for (const each of ['a', 'b', 'c', 'd'])
    literals?.search(`text of ${each}`, (owner) => found.push(owner.id));
  return found;
}

describe('standing searches of a shard', () => {
  it('are looked up in one table by all terminals to which the same apply, whatever their labels', () => {
    searches.change({ add: [search('a'), search('b', { selector: { role: 'test' } })], drop: [] });
    const tables = Array.from({ length: 100 }, (_, task) => {
      searches.labelled(`t${task}`, { role: task % 2 ? 'test' : 'build', task: String(task) });
      return searches.of(`t${task}`);
    });
    expect(new Set(tables).size).toBe(2);
  });

  it('are those of a terminal by its labels and its id', () => {
    searches.labelled('t1', { role: 'test', repo: 'x' });
    searches.labelled('t2', { role: 'test' });
    searches.labelled('t3', {});
    expect([searches.isEmpty, searches.of('t1')]).toEqual([true, undefined]);
    searches.change({
      add: [
        search('a', { selector: { role: 'test' } }),
        search('b', { selector: { repo: 'x' } }),
        search('c', { terminals: ['t3'] }),
        search('d'),
      ],
      drop: [],
    });
    expect(idsIn('t1')).toEqual(['a', 'b', 'd']);
    expect(idsIn('t2')).toEqual(['a', 'd']);
    expect(idsIn('t3')).toEqual(['c', 'd']);
    const { version } = searches;
    searches.labelled('t3', { repo: 'x' });
    expect(searches.version).not.toBe(version);
    expect(idsIn('t3')).toEqual(['b', 'c', 'd']);
    searches.change({ add: [], drop: ['c', 'd', 'unknown'] });
    expect([idsIn('t3'), idsIn('t2')]).toEqual([['b'], ['a']]);
    searches.change({ add: [], drop: ['a', 'b'] });
    expect([searches.isEmpty, searches.of('t2')]).toEqual([true, undefined]);
  });

  it('report soon what is found, in one message for a terminal, and later what follows', () => {
    const a = search('a');
    searches.change({ add: [a], drop: [] });
    searches.found('t1', [line(a, 'one'), line(a, 'two')]);
    searches.found('t2', [line(a, 'three')]);
    vi.advanceTimersByTime(20);
    expect(reports).toEqual([
      { type: 'found', id: 't1', matched: [{ search: 'a', count: 2, text: 'two' }], whole: [], leftOut: [] },
      {
        type: 'found',
        id: 't2',
        matched: [{ search: 'a', count: 1, text: 'three' }],
        whole: [],
        leftOut: [],
      },
    ]);
    searches.found('t1', [line(a, 'four')]);
    vi.advanceTimersByTime(20);
    expect(reports).toHaveLength(2);
    vi.advanceTimersByTime(250);
    expect(reports[2]).toMatchObject({ id: 't1', matched: [{ count: 1, text: 'four' }] });
  });

  it('hand over so many lines to regular expressions, and count the others', () => {
    const a = search('a', { isWhole: true });
    searches.change({ add: [a], drop: [] });
    const lines = Array.from({ length: MAX_REGEX_LINES_PER_S + 7 }, (_, number) => line(a, 'x', number));
    searches.found('t1', lines);
    searches.flush();
    expect(reports[0]!.whole).toHaveLength(MAX_REGEX_LINES_PER_S);
    expect(reports[0]!.leftOut).toEqual([{ search: 'a', count: 7 }]);
    vi.advanceTimersByTime(1_000);
    searches.found('t1', lines.slice(0, 3));
    searches.flush();
    expect(reports[1]!.whole).toHaveLength(3);
  });

  it('report nothing for a search that is dropped', () => {
    const a = search('a');
    searches.change({ add: [a], drop: [] });
    searches.change({ add: [], drop: ['a'] });
    searches.found('t1', [line(a)]);
    searches.flush();
    expect(reports).toEqual([]);
  });
});
