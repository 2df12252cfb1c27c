import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, foldCharacter, foldMarked, unfold } from '../../src/store/search/fold.js';

describe('fold', () => {
  it.each([
    ['ERROR: File Not Found', 'error: file not found'],
    ['ÄÖÜ Straße ÉCOLE', 'äöü straße école'],
    ['ПРИВЕТ', 'привет'],
    ['Σίσυφος ΣΊΣΥΦΟΣ', 'σίσυφοσ σίσυφοσ'],
    ['İstanbul ISTANBUL ıstanbul', 'istanbul istanbul istanbul'],
    ['ẞ and K (Kelvin)', 'ß and k (kelvin)'],
    ['𐐀𐐁 Deseret', '𐐨𐐩 deseret'],
    ['日本語 ✓ 😀', '日本語 ✓ 😀'],
  ])('takes %j for %j', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it('joins every letter with its upper and lower case if these have its length', () => {
    const apart: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      for (const other of [character.toUpperCase(), character.toLowerCase()]) {
        const isOne = other.length === character.length;
        if (isOne && foldCharacter(other) !== foldCharacter(character)) apart.push(character);
      }
    }
    expect(apart).toEqual([]);
  });

  it('folds character by character, and keeps every position', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (one, other) => {
        expect(fold(one)).toHaveLength(one.length);
        expect(fold(one) + fold(other)).toBe(fold(one + other));
        expect(fold(fold(one))).toBe(fold(one));
      }),
    );
  });
});

describe('foldMarked', () => {
  it('restores the text, whatever it is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...'aAzZİıẞßΣσς𐐀𐐨KkÅ 😀\n') }),
    );
    fc.assert(
      fc.property(text, (content) => {
        const folded = foldMarked(content);
        expect(folded.text).toBe(fold(content));
        expect(unfold(folded)).toBe(content);
      }),
      { numRuns: 2_000 },
    );
  });

  it('marks only what folding changed', () => {
    expect(foldMarked('no capitals, ü 😀').marks).toHaveLength(0);
    expect(foldMarked('One Two').marks).toHaveLength(2);
    expect(foldMarked(`${'x'.repeat(10_000)}Y`).marks).toHaveLength(3);
  });

  it('refuses marks that do not fit their text', () => {
    for (const marks of [[0x80], [0x10], [0xff, 0xff, 0xff, 0xff, 0x7f], [0x01]]) {
      expect(() => unfold({ text: 'ab', marks: Uint8Array.from(marks) })).toThrow(RangeError);
    }
  });
});
