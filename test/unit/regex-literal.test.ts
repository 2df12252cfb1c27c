import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { literalOf } from '../../src/contract/regex-literal.js';

/** Parts of expressions, each with a text that the part matches. */
const piece: fc.Arbitrary<[pattern: string, text: string]> = fc.oneof(
  fc
    .string({ unit: fc.constantFrom('a', 'b', 'é', '😀', ' ', '-', ':'), minLength: 1, maxLength: 5 })
    .map((text): [string, string] => [text, text]),
  fc.constantFrom<[string, string]>(
    ['\\.', '.'],
    ['\\(', '('],
    ['\\$', '$'],
    ['\\d+', '42'],
    ['\\w', 'z'],
    ['\\p{L}', 'ß'],
    ['\\u0041', 'A'],
    ['\\u{1F600}', '😀'],
    ['\\x41', 'A'],
    ['[abc]', 'b'],
    ['[\\]x(]+', 'x('],
    ['(?:a|bc)', 'bc'],
    ['(a(b[)]?c)d)', 'abcd'],
    ['(?=)', ''],
    ['(?<name>q)\\k<name>', 'qq'],
    ['.', '?'],
    ['.*', 'any'],
    ['a?', ''],
    ['ab*', 'a'],
    ['ab+', 'abb'],
    ['x{0,2}', ''],
    ['x{2}', 'xx'],
    ['a+?', 'a'],
    ['\\b', ''],
    ['\\t', '\t'],
    ['\\n', '\n'],
  ),
);

describe('the plain text of a regular expression', () => {
  it('is in everything that it matches', () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        // A group may have its name only once.
        fc.pre(pieces.filter(([source]) => source.startsWith('(?<')).length < 2);
        const pattern = pieces.map(([source]) => source).join('');
        const text = pieces.map(([, each]) => each).join('');
        const found = new RegExp(pattern, 'mu').exec(text);
        fc.pre(found !== null);
        expect(found![0]).toContain(literalOf(pattern));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['error: \\d+', 'error: '],
    ['^\\[ERROR\\] ', '[ERROR] '],
    ['(?:warn|error): disk full', ': disk full'],
    ['Do you want to (proceed|continue)\\?', 'Do you want to '],
    ['abc?def', 'def'],
    ['abc+', 'abc'],
    ['one|two', ''],
    ['\\d+', ''],
    ['(abcdef)', ''],
    ['[abc]def{2}', 'de'],
    ['\\bpanic\\b', 'panic'],
    ['\\[y/n\\]', '[y/n]'],
    ['src\\/[a-z]+', 'src/'],
  ])('of %s is %j', (pattern, literal) => expect(literalOf(pattern)).toBe(literal));
});
