import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor, page, pageOfText } from '../../src/workers/shard/reader.js';

describe('the cursor of /output', () => {
  it('decodes to its parts', () => {
    for (const position of [0, 1, 35, 36, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
      const cursor = { position, row: 999, col: 7, altScreen: position === 1 };
      expect(decodeCursor(encodeCursor(cursor), Number.MAX_SAFE_INTEGER)).toEqual(cursor);
    }
  });

  it.each([
    '',
    '0',
    '1-2-3',
    '1-2-3-2',
    '-1-0-0-0',
    '1-2-3-0-0',
    'z'.repeat(12),
    '1-zzzzz-0-0',
    '١-0-0-0',
    '1-0-0-0\n',
  ])('refuses %j', (text) => {
    expect(() => decodeCursor(text, 1_000)).toThrow('Invalid cursor');
  });

  it('refuses a position that has not been printed yet', () => {
    expect(() => decodeCursor('b-0-0-0', 10)).toThrow('Invalid cursor');
    expect(decodeCursor('a-0-0-0', 10).position).toBe(10);
  });
});

describe('page', () => {
  const lines = ['a', 'b', 'c', 'd'];

  it.each([
    ['the last lines', 2, 0, 'c\nd'],
    ['all where there are fewer', 50, 0, 'a\nb\nc\nd'],
    ['forward from a line', 2, 1, 'b\nc'],
    ['what is left at the end', 3, 3, 'd'],
    ['nothing past the end', 3, 9, ''],
    ['nothing when none are wanted', 0, 0, ''],
  ])('gives %s', (_name, count, offset, raw) => {
    expect(page(lines, count, offset)).toEqual({ totalLines: 4, offset, raw });
  });
});

describe('pageOfText', () => {
  it('ends a line at its line feed alone', () => {
    const text = 'a\u2028b\u2029c\u2028d\nlast\n';
    expect(pageOfText(text, 1, 0)).toEqual({ totalLines: 2, offset: 0, raw: 'last\n' });
    expect(pageOfText(text, 2, 0)).toEqual({ totalLines: 2, offset: 0, raw: text });
    expect(pageOfText('one\ntwo\u2028three\n  \u2028four\n', 1, 1).raw).toBe('two\u2028three\n');
  });

  const text = '\na\n \n\t\nb\nc\n\n';

  it.each([
    ['all of it', 9, 0, text],
    ['the last lines, with the empty ones behind each', 2, 0, 'b\nc\n\n'],
    ['forward from a line', 1, 1, 'b\n'],
    ['what is left at the end', 3, 2, 'c\n\n'],
    ['nothing past the end', 3, 3, ''],
    ['nothing when none are wanted', 0, 0, ''],
  ])('gives %s', (_name, count, offset, raw) => {
    expect(pageOfText(text, count, offset)).toEqual({ totalLines: 3, offset, raw });
  });

  it.each(['', '\n', ' \n \n'])('gives %j, which has no line with text', (text) => {
    expect(pageOfText(text, 9, 0)).toEqual({ totalLines: 0, offset: 0, raw: text });
  });

  it('gives pages that together are the text', () => {
    const pages = [1, 2].map((offset) => pageOfText(text, 1, offset).raw);
    expect(text.endsWith(pages.join(''))).toBe(true);
  });
});
