import { describe, expect, it } from 'vitest';
import { markedLines } from '../../dashboard/src/search/marked.js';

function shown(content: string, matches: Array<[number, number]>): string[] {
  return markedLines(content, matches).map(({ at, stretches }) => {
    const text = stretches.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('');
    return `${at} ${text}`;
  });
}

describe('marks of a search', () => {
  it('shows the lines that match, with what matches', () => {
    const content = 'one\nthe error is\nnone\nerror error';
    expect(
      shown(content, [
        [8, 13],
        [22, 27],
        [28, 33],
      ]),
    ).toEqual(['1 the [error] is', '3 [error] [error]']);
  });

  it('counts characters of Unicode', () => {
    expect(shown('😀😀 ok\nok', [[3, 5]])).toEqual(['0 😀😀 [ok]']);
  });

  it('marks a match that goes over lines in each of them', () => {
    expect(shown('ab\ncd', [[1, 4]])).toEqual(['0 a[b]', '1 [c]d']);
  });

  it('cuts a long line around its first match', () => {
    const [line] = shown(`${'x'.repeat(1_000)}ok${'y'.repeat(1_000)}`, [[1_000, 1_002]]);
    expect(line).toMatch(/^0 …x{80}\[ok\]y{318}…$/);
  });

  it('shows no more than a few lines', () => {
    expect(
      shown(
        'a\n'.repeat(50),
        Array.from({ length: 50 }, (_, at) => [2 * at, 2 * at + 1]),
      ),
    ).toHaveLength(5);
  });
});
