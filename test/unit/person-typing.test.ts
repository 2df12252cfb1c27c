import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { PersonTyping } from '../../src/actors/input-gate/person-typing.js';

/** Feeds these writes; returns whether the last write contained a key, and whether a line is half typed. */
function feed(...writes: string[]): [hasKey: boolean, hasDraft: boolean] {
  const typing = new PersonTyping();
  let hasKey = false;
  for (const write of writes) hasKey = typing.feed(write);
  return [hasKey, typing.hasDraft];
}

const REPORTS = {
  'the cursor': '\x1b[12;40R',
  'the state': '\x1b[0n',
  attributes: '\x1b[?62;22c',
  'secondary attributes': '\x1b[>41;354;0c',
  'a mode': '\x1b[?2026;2$y',
  'the size': '\x1b[8;24;80t',
  'the focus, got': '\x1b[I',
  'the focus, lost': '\x1b[O',
  'a mouse button': '\x1b[<0;10;20M',
  'a mouse button, released': '\x1b[<0;10;20m',
  'an old mouse report': '\x1b[M !!',
  'the keyboard protocol': '\x1b[?1u',
  'a colour': '\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\',
  'a colour, with BEL': '\x1b]4;1;rgb:ff/00/00\x07',
  'the version': '\x1bP>|xterm(367)\x1b\\',
  'a kitty answer': '\x1b_Gi=31;OK\x1b\\',
};

describe('what an emulator reports', () => {
  test.each(Object.entries(REPORTS))('%s is no key, and changes no line', (_name, report) => {
    expect(feed(report)).toEqual([false, false]);
    expect(feed('x', report)).toEqual([false, true]);
    expect(feed(`${report}${report}`)).toEqual([false, false]);
    expect(feed(report, 'x')).toEqual([true, true]);
  });

  it('is none wherever it is cut behind its introducer, and text around it is typed', () => {
    const reports = Object.values(REPORTS).filter((report) => !/^\x1b\[[IO]/.test(report));
    fc.assert(
      fc.property(fc.constantFrom(...reports), fc.nat(), (report, cut) => {
        const at = 3 + (cut % (report.length - 3));
        expect(feed(report.slice(0, at), report.slice(at))).toEqual([false, false]);
        expect(feed(`a${report}`)).toEqual([true, true]);
        expect(feed(`\r${report}`)).toEqual([true, false]);
      }),
    );
  });
});

describe('a key of a person', () => {
  test.each([
    ['text', 'ls', true],
    ['text and Enter', 'ls\r', false],
    ['text after Enter', 'ls\rx', true],
    ['Ctrl+C', 'ls\x03', false],
    ['Ctrl+U', 'ls\x15', false],
    ['up, which recalls a line', '\x1b[A', true],
    ['up in application mode', '\x1bOA', true],
    ['left', '\x1b[D', false],
    ['Ctrl+R', '\x12', true],
    ['Tab', '\t', false],
    ['Escape alone', '\x1b', false],
    ['Alt+b', '\x1bb', false],
    ['Alt+P, which begins a string', '\x1bP', false],
    ['Delete', '\x1b[3~', false],
    ['a paste with a line feed', '\x1b[200~a\rb\x1b[201~', true],
    ['a paste and Enter', '\x1b[200~a\rb\x1b[201~\r', false],
    ['a as kitty sends it', '\x1b[97u', true],
    ['Enter as kitty sends it', 'x\x1b[13u', false],
    ['Ctrl+C as kitty sends it', 'x\x1b[99;5u', false],
    ['Shift+Enter as kitty sends it', 'x\x1b[13;2u', true],
    ['the Enter of the keypad', 'x\x1bOM', false],
    ['a character outside the basic plane', '🙂', true],
  ])('%s', (_name, keys, hasDraft) => {
    expect(feed(keys)).toEqual([true, hasDraft]);
  });

  it('is seen behind a string that never ended, at its Enter', () => {
    expect(feed('\x1b]0', 'x\r')).toEqual([true, false]);
    expect(feed('\x1bP', 'x')).toEqual([true, true]);
  });

  it('is none in nothing', () => {
    expect(feed('')).toEqual([false, false]);
  });

  it('keeps a paste that comes in several writes', () => {
    expect(feed('\x1b[200~one\r', 'two\r', 'three\x1b[201~')).toEqual([true, true]);
    expect(feed('\x1b[200~one\r', 'two\r', 'three\x1b[201~', '\r')).toEqual([true, false]);
  });

  it('is found in any bytes without fail and without growing', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (writes) => {
        const typing = new PersonTyping();
        for (const write of writes) typing.feed(write);
        typing.feed('\r\x03\r');
        typing.feed('\x1b[201~\r');
        typing.feed('!');
        expect(typing.hasDraft).toBe(true);
      }),
    );
  });
});
