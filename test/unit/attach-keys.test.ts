import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DetachKeys, parseDetachKeys } from '#dist/command/attach/detach-keys.js';

/** Returns the program's part of input that is read in these pieces, and whether the keys detached. */
function read(keys: string, ...reads: string[]): { text: string; isDetached: boolean } {
  const detachKeys = new DetachKeys(parseDetachKeys(keys));
  let text = '';
  for (const piece of reads) {
    const typed = detachKeys.take(piece);
    text += typed.text;
    if (typed.isDetached) return { text, isDetached: true };
  }
  return { text: text + detachKeys.flush().text, isDetached: false };
}

const DEFAULT = 'ctrl-\\,d';
const PREFIXES = ['\x1c', '\x1b[92;5u', '\x1b[92;5:1u', '\x1b[92;69u', '\x1b[223:92:45;6u', '\x1b[27;5;92~'];
const LAST = ['d', '\x1b[100u', '\x1b[100;1:1u', '\x1b[1074::100u', '\x1b[27;1;100~'];
const SILENT = ['', '\x1b[57442;5u', '\x1b[92;5:3u', '\x1b[57442;1:3u'];
const OTHERS = [
  'a',
  'é',
  '🎉',
  '\x1b[A',
  '\x1bOP',
  '\x1b[<0;5;5M',
  '\x1b[200~',
  '\x1b[201~',
  '\r',
  '\x7f',
  '\x1b[99;5u',
];

describe('the detach keys', () => {
  test('are found in each form, however the input is cut', () => {
    const input = fc.tuple(
      fc.array(fc.constantFrom(...OTHERS), { maxLength: 5 }).map((parts) => parts.join('')),
      fc.tuple(fc.constantFrom(...PREFIXES), fc.constantFrom(...SILENT), fc.constantFrom(...LAST)),
      fc.constantFrom('', 'rest', '\x1b[201~'),
    );
    fc.assert(
      fc.property(input, fc.array(fc.nat(40), { maxLength: 6 }), ([before, keys, after], places) => {
        const whole = before + keys.join('') + after;
        const ends = [...new Set([...places.filter((place) => place < whole.length), whole.length])];
        ends.sort((a, b) => a - b);
        const reads = ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end));
        expect(read(DEFAULT, ...reads)).toEqual({ text: before, isDetached: true });
      }),
      { numRuns: 2_000 },
    );
  });

  test('leave all other input as it is', () => {
    const safe = fc.array(fc.constantFrom(...OTHERS, 'd', '\x1b', '\x1b[', '\x00'), { maxLength: 20 });
    fc.assert(
      fc.property(safe, (parts) => {
        expect(read(DEFAULT, ...parts)).toEqual({ text: parts.join(''), isDetached: false });
      }),
      { numRuns: 2_000 },
    );
  });

  test('are sent if the next key is another one, with it', () => {
    expect(read(DEFAULT, '\x1c', 'x', 'd')).toEqual({ text: '\x1cxd', isDetached: false });
    expect(read(DEFAULT, '\x1b[92;5u\x1b[92;5:3u', 'x').text).toBe('\x1b[92;5u\x1b[92;5:3ux');
    const keys = new DetachKeys(parseDetachKeys(DEFAULT));
    expect(keys.take('a\x1c').text).toBe('a');
    expect(keys.isIncomplete).toBe(false);
  });

  test('send the first one once if it is pressed twice', () => {
    expect(read(DEFAULT, '\x1c\x1cd')).toEqual({ text: '\x1cd', isDetached: false });
    expect(read(DEFAULT, '\x1c\x1c\x1cd')).toEqual({ text: '\x1c', isDetached: true });
  });

  test('are none, one, or many', () => {
    expect(read('none', '\x1cd')).toEqual({ text: '\x1cd', isDetached: false });
    expect(read('ctrl-q', 'a\x11b')).toEqual({ text: 'a', isDetached: true });
    expect(read('ctrl-p,ctrl-q', '\x10', '\x11').isDetached).toBe(true);
    expect(read('a,a,b', 'aaab')).toEqual({ text: 'a', isDetached: true });
    expect(read('ctrl+] x', '\x1dx').isDetached).toBe(true);
    expect(read('ctrl-@,~', '\x00~').isDetached).toBe(true);
    expect(read('ctrl-p', '\x1b[112;6u').isDetached).toBe(false);
  });

  test.each(['ctrl-', 'ctrl-1', 'ctrl-p,,x', 'meta-x', 'é'])('are refused as %j', (keys) => {
    expect(() => parseDetachKeys(keys)).toThrow(/is no key/);
  });

  test('let the Escape key go if nothing follows', () => {
    const keys = new DetachKeys(parseDetachKeys(DEFAULT));
    expect(keys.take('\x1b').text).toBe('');
    expect(keys.isIncomplete).toBe(true);
    expect(keys.flush()).toEqual({ text: '\x1b', isDetached: false });
    expect(keys.isIncomplete).toBe(false);
  });
});
