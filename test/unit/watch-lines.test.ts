import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LineMatch, LineMatches } from '../../src/workers/shard/watches/line-matches.js';
import { Literals } from '../../src/workers/shard/watches/literals.js';
import { tries } from '../support/tries.js';

const RUNS = tries(500);

/** Texts of few letters, so that they occur, overlap and share their beginnings. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '😀'), minLength: 1, maxLength: 9 });
const words = fc.array(word, { minLength: 1, maxLength: 12 });
const output = fc.string({
  unit: fc.constantFrom('a', 'b', 'a', 'b', 'ä', '😀', '\n', '\0'),
  maxLength: 120,
});
const cuts = fc.array(fc.nat(), { maxLength: 8 });

function piecesOf(text: string, at: readonly number[]): string[] {
  const ends = [...at.map((each) => each % (text.length + 1)), text.length].sort((one, other) => one - other);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

describe('texts that are looked up together', () => {
  it('are found at exactly the places where each is', () => {
    fc.assert(
      fc.property(words, output, (texts, text) => {
        const found: [number, number][] = [];
        const literals = new Literals(texts.map((each, index) => [each, index] as const));
        literals.search(text, (owner, at, length) => {
          expect(length).toBe(texts[owner]!.length);
          found.push([owner, at]);
        });
        const wanted: [number, number][] = [];
        for (const [index, each] of texts.entries()) {
          for (let at = text.indexOf(each); at !== -1; at = text.indexOf(each, at + 1))
            wanted.push([index, at]);
        }
        expect(found.sort()).toEqual(wanted.sort());
        expect(literals.longest).toBe(Math.max(...texts.map((each) => each.length)));
      }),
      { numRuns: RUNS },
    );
  });
});

interface Owner {
  text: string;
  isWhole: boolean;
}

describe('lines that have a text', () => {
  const search = (owners: readonly Owner[]) => {
    const lines = new LineMatches<Owner>();
    lines.search(new Literals(owners.map((owner) => [owner.text, owner] as const)));
    return lines;
  };

  it('are found once for each owner, however the output is cut', () => {
    fc.assert(
      fc.property(words, output, cuts, (texts, text, at) => {
        const owners = texts.map((each, index) => ({ text: each, isWhole: index % 2 === 1 }));
        const lines = search(owners);
        const found: LineMatch<Owner>[] = [];
        for (const piece of piecesOf(text, at)) found.push(...lines.push(piece));
        found.push(...lines.pause());
        for (const owner of owners) {
          const own = found.filter((match) => match.owner === owner);
          const wanted = text.split(/[\n\0]/).filter((line) => line.includes(owner.text));
          expect(own).toHaveLength(wanted.length);
          // A match of a whole line has the complete line; any other match has the line so far, with the searched text.
          for (const [index, match] of own.entries()) {
            if (owner.isWhole) expect(match.text).toBe(wanted[index]);
            else
              expect([wanted[index]!.startsWith(match.text), match.text.includes(owner.text)]).toEqual([
                true,
                true,
              ]);
          }
          expect(new Set(own.map(({ line }) => line)).size).toBe(own.length);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('keep their number when they go on after a pause', () => {
    const lines = search([{ text: 'Error', isWhole: true }]);
    expect(lines.push('fine\nError: ')).toEqual([]);
    expect(lines.isWaiting).toBe(true);
    const [open] = lines.pause();
    expect(open!.text).toBe('Error: ');
    const [ended] = lines.push('42\n');
    expect(ended).toMatchObject({ text: 'Error: 42', line: open!.line });
    expect(lines.isWaiting).toBe(false);
    lines.push('Error: 42\n');
    const [next] = lines.push('Error again\nx');
    expect(next!.line).not.toBe(open!.line);
  });

  it('are found once even if a search begins or ends within them', () => {
    const owner = { text: 'ab', isWhole: false };
    const lines = search([owner]);
    expect(lines.push('ab ')).toHaveLength(1);
    const other = { text: 'cd', isWhole: false };
    lines.search(
      new Literals<Owner>([
        ['ab', owner],
        ['cd', other],
      ]),
    );
    expect(lines.push('ab cd').map((match) => match.owner)).toEqual([other]);
    expect(lines.push('\nab').map((match) => match.owner)).toEqual([owner]);
  });

  it('that are very long have their latest text for a whole line, however the output is cut', () => {
    for (const size of [100, 5_000, 100_000]) {
      const lines = search([{ text: 'Error', isWhole: true }]);
      const output = `${'x'.repeat(9_000)} Error: 42\nnext\n`;
      const found: LineMatch<Owner>[] = [];
      for (let at = 0; at < output.length; at += size) found.push(...lines.push(output.slice(at, at + size)));
      expect(found.map(({ text }) => text)).toEqual([expect.stringMatching(/^x+ Error: 42$/)]);
      expect(found[0]!.text).toHaveLength(4_096);
    }
  });

  it('of any length take bounded memory, and are found once', () => {
    const lines = search([{ text: 'needle', isWhole: false }]);
    const found: unknown[] = [];
    for (let each = 0; each < 1_000; each++)
      found.push(...lines.push(each % 2 === 0 ? 'x'.repeat(1_000) : 'needle'));
    expect(found).toHaveLength(1);
    expect(lines.push(`${'y'.repeat(100_000)}\nneedle\n`)).toMatchObject([{ text: 'needle' }]);
  });
});
