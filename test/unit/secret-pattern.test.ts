import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePattern } from '../../src/contract/redaction/secret-pattern.js';
import { builtInForms } from '../../src/workers/redaction/known-forms.js';
import { matchesWhole, matchForm, type SecretForm } from '../../src/workers/redaction/secret-form.js';
import { tries } from '../support/tries.js';

function formOf(source: string, isWithinWords = true): SecretForm {
  return { kind: 'test', isWithinWords, ...parsePattern(source, { minLiteral: 0 }) };
}

describe('a pattern', () => {
  it('is refused where a match would have to go back, and where it is too much', () => {
    const refused = {
      'abc(a+)+$': 'part of this language',
      'abc\\w{1,9}\\w{1,9}': 'other characters',
      'abc[a-z]{0,9}x?z': 'other characters',
      'abc\\d?[0-9]{3}': 'other characters',
      'abc(?:d)': 'part of this language',
      'abc(d)(e)': 'part of this language',
      'abc()d': 'the group',
      'abc(d': 'the group',
      'abc|def': 'part of this language',
      'abc\\b': 'part of this language',
      'abc[z-a]': 'empty',
      'abc[': 'not closed',
      'abc[]': 'is empty',
      'abc\\': 'ends with',
      'abcd{3,2}': 'repeats nothing',
      'abcd{9999}': 'at most 1024',
      'a\\d{9}': 'begin with at least 3',
      '[abc]xyz': 'begin with at least 3',
    };
    for (const [source, fault] of Object.entries(refused))
      expect(() => parsePattern(source), source).toThrow(fault);
  });

  it('matches what a regular expression of the same text matches', () => {
    const alphabet = 'ab1_-. ';
    const set = fc.constantFrom(
      'a',
      'b',
      '1',
      '\\.',
      '-',
      '[ab]',
      '[^a]',
      '[a1_-]',
      '\\d',
      '\\w',
      '\\s',
      '.',
      '[b-b.]',
    );
    const count = fc.constantFrom('', '', '?', '{2}', '{1,3}', '{0,2}');
    const pattern = fc
      .array(fc.tuple(set, count), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.flat().join(''));
    const text = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 10 });
    let accepted = 0;
    let matching = 0;
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 20 }), (source, texts) => {
        let form: SecretForm;
        try {
          form = formOf(source);
        } catch {
          return;
        }
        accepted++;
        for (const each of texts) {
          const isMatch = new RegExp(`^(?:${source})$`).test(each);
          matching += Number(isMatch);
          expect(matchesWhole(form, each), `${source} on ${JSON.stringify(each)}`).toBe(isMatch);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(500);
    expect(matching).toBeGreaterThan(200);
  });

  it('names the part that is the secret by a group', () => {
    const form = formOf('key: ([a-z]{3}\\d?);');
    expect(matchForm(form, 'key: abc1;', 0)).toEqual({ end: 10, secretStart: 5, secretEnd: 9 });
    expect(matchForm(form, 'key: ab', 0)).toEqual({ secretStart: 5 });
    expect(matchForm(form, 'key', 0)).toBeUndefined();
    expect(matchForm(form, 'key: ab;', 0)).toBeUndefined();
  });

  it('costs a bounded number of looks for each character of any text', () => {
    const { tokens, besideNames } = builtInForms();
    const forms = [...tokens, ...besideNames];
    // Each form begins again and again, and never ends, which makes a matcher that backtracks slow.
    const fillers = ['', '-', 'a1', ' ', '.', '"', 'a'.repeat(40), 'A1b2'.repeat(500), '/', '=', '\n'];
    for (const { literal, kind } of forms) {
      for (const filler of fillers) {
        const text = `${literal}${filler}`.repeat(
          Math.ceil(tries(20_000) / (literal.length + filler.length)),
        );
        const { counted, reads } = countReads(text);
        for (const form of forms) {
          let end = 0;
          for (let at = text.indexOf(form.literal); at !== -1; at = text.indexOf(form.literal, at + 1)) {
            if (at < end) continue;
            const match = matchForm(form, counted, at);
            if (match && 'end' in match) end = match.end;
          }
        }
        expect(reads() / text.length, `${kind} with ${JSON.stringify(filler)}`).toBeLessThan(400);
      }
    }
  });
});

/** Returns a text that counts the reads of its characters. */
function countReads(text: string): { counted: string; reads: () => number } {
  let reads = 0;
  const counted = new Proxy(Object(text) as object, {
    get: (_, name) => {
      if (name === 'length') return text.length;
      if (name === 'charCodeAt') return (at: number) => ++reads && text.charCodeAt(at);
      return text[Number(name)];
    },
  });
  return { counted: counted as unknown as string, reads: () => reads };
}

describe('a token', () => {
  const form = formOf('tok_[a-z0-9]{4,6}', false);

  it('is no part of a word', () => {
    for (const text of ['tok_abcd', ' tok_abcd', '"tok_abcdef"', '-tok_abcd', '\u00e9tok_abcd'])
      expect(matchForm(form, text, text.indexOf('tok')), text).toMatchObject({ end: expect.any(Number) });
    for (const text of ['xtok_abcd', '1tok_abcd', 'tok_abcdefg', 'tok_abcdX'])
      expect(matchForm(form, text, text.indexOf('tok')), text).toBeUndefined();
  });

  it('may follow an escaped line end, as in JSON', () => {
    expect(matchForm(form, '\\ntok_abcd', 2)).toMatchObject({ end: 10 });
    expect(matchForm(form, '\\atok_abcd', 2)).toBeUndefined();
  });
});
