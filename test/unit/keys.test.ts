import { execFileSync } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import { encodeKeys } from '#dist/actors/keys/encode-keys.js';

const normal = (...names: string[]) => encodeKeys(names).normal;
const application = (...names: string[]) => encodeKeys(names).application;

/** Returns the sequences of xterm's keys by terminfo capability, in the application mode of cursor keys. */
function terminfo(): Map<string, string> {
  const text = execFileSync('infocmp', ['-x', '-1', 'xterm-256color'], { encoding: 'utf8' });
  const entries = [...text.matchAll(/^\t(\w+)=(.*),$/gm)].map(([, name, value]): [string, string] => [
    name!,
    value!.replaceAll('\\E', '\x1b').replaceAll('^?', '\x7f').replaceAll('^H', '\b'),
  ]);
  return new Map(entries);
}

/** xterm's modifiers by the number at the end of a terminfo capability. */
const MODIFIERS: Record<string, string> = {
  '3': 'alt+',
  '4': 'alt+shift+',
  '5': 'ctrl+',
  '6': 'ctrl+shift+',
  '7': 'ctrl+alt+',
};

/** Terminfo's name of each key, alone and with modifiers. */
const NAMES: [key: string, alone: string, modified: string][] = [
  ['up', 'kcuu1', 'kUP'],
  ['down', 'kcud1', 'kDN'],
  ['left', 'kcub1', 'kLFT'],
  ['right', 'kcuf1', 'kRIT'],
  ['home', 'khome', 'kHOM'],
  ['end', 'kend', 'kEND'],
  ['pageup', 'kpp', 'kPRV'],
  ['pagedown', 'knp', 'kNXT'],
  ['insert', 'kich1', 'kIC'],
  ['delete', 'kdch1', 'kDC'],
];

describe('keys are encoded as xterm does', () => {
  const known = terminfo();

  test.each(NAMES)('%s, alone and with each modifier, matches terminfo', (key, alone, modified) => {
    expect(application(key)).toBe(known.get(alone));
    // Terminfo lists Shift with a vertical key as scrolling, and lists the modifiers below as with other keys.
    const shifted = known.get(modified) ?? known.get(key === 'up' ? 'kri' : 'kind');
    expect(normal(`shift+${key}`)).toBe(shifted);
    for (const [number, modifiers] of Object.entries(MODIFIERS)) {
      expect([modifiers, normal(`${modifiers}${key}`)]).toEqual([
        modifiers,
        known.get(`${modified}${number}`),
      ]);
      expect(application(`${modifiers}${key}`)).toBe(known.get(`${modified}${number}`));
    }
  });

  test('f1 to f24, alone and with modifiers, are the function keys 1 to 63 of terminfo', () => {
    const modifiers = ['', 'shift+', 'ctrl+', 'ctrl+shift+', 'alt+'];
    for (let number = 1; number <= 24; number++) expect(normal(`f${number}`)).toBe(known.get(`kf${number}`));
    for (let number = 1; number <= 60; number++) {
      const name = `${modifiers[Math.floor((number - 1) / 12)]}f${((number - 1) % 12) + 1}`;
      expect([name, normal(name)]).toEqual([name, known.get(`kf${number}`)]);
    }
    expect(normal('alt+shift+f1', 'alt+f13')).toBe(`${known.get('kf61')}${known.get('kf61')}`);
  });

  test('cursor keys in normal mode, if they differ', () => {
    expect(normal('up', 'down', 'right', 'left')).toBe('\x1b[A\x1b[B\x1b[C\x1b[D');
    expect(normal('home', 'end')).toBe('\x1b[H\x1b[F');
    expect(application('home', 'end')).toBe('\x1bOH\x1bOF');
  });

  test.each([
    ['enter', '\r'],
    ['return', '\r'],
    ['alt+enter', '\x1b\r'],
    ['shift+enter', '\r'],
    ['tab', '\t'],
    ['shift+tab', known.get('kcbt')!],
    ['alt+tab', '\x1b\t'],
    ['escape', '\x1b'],
    ['esc', '\x1b'],
    ['alt+esc', '\x1b\x1b'],
    ['space', ' '],
    ['ctrl+space', '\0'],
    ['ctrl+shift+space', '\0'],
    ['alt+space', '\x1b '],
    ['backspace', known.get('kbs')!],
    ['ctrl+backspace', '\b'],
    ['alt+backspace', '\x1b\x7f'],
    ['delete', '\x1b[3~'],
  ])('%s', (name, bytes) => {
    expect(normal(name)).toBe(bytes);
    expect(application(name)).toBe(bytes);
  });

  test('ctrl with letters and the characters that have control codes', () => {
    for (let code = 1; code <= 26; code++) {
      const letter = String.fromCharCode(0x60 + code);
      expect(normal(`ctrl+${letter}`)).toBe(String.fromCharCode(code));
      expect(normal(`Ctrl+${letter.toUpperCase()}`, `ctrl+shift+${letter}`)).toBe(
        String.fromCharCode(code, code),
      );
      expect(normal(`ctrl+alt+${letter}`)).toBe(`\x1b${String.fromCharCode(code)}`);
    }
    expect(normal(...[...'@[\\]^_?'].map((character) => `ctrl+${character}`))).toBe(
      '\0\x1b\x1c\x1d\x1e\x1f\x7f',
    );
    expect(normal(...[...'2345678/'].map((character) => `ctrl+${character}`))).toBe(
      '\0\x1b\x1c\x1d\x1e\x1f\x7f\x1f',
    );
  });

  it('takes names in any case, modifiers in any order, and meta for alt', () => {
    expect(normal('CTRL+ALT+Delete', 'Alt+Ctrl+DELETE', 'meta+ctrl+delete')).toBe('\x1b[3;7~'.repeat(3));
  });

  it('takes any character for itself, the plus included', () => {
    const text = 'aZ09 +-_=~é漢👍"\'\\';
    expect(normal(...text)).toBe(text);
    expect(normal('alt+x', 'alt++', 'alt+é', 'shift+a', 'shift+é', 'alt+shift+a')).toBe(
      '\x1bx\x1b+\x1béAÉ\x1bA',
    );
  });
});

describe('an unknown key', () => {
  test.each([
    ...['', 'entre', 'f0', 'f25', 'f1x', 'ctrl+', 'ctrl', 'hyper+x', 'ctrl+ü', 'ctrl+1', 'ctrl+;', 'ctrl++'],
    ...['shift+1', 'shift+!', 'shift+ß', 'ab', '\n', '\x1b', '\x7f', '\x9b', '\ud800', 'e\u0301', ' enter'],
  ])('%j is refused, with the valid names', (name) => {
    const key = expect.objectContaining({ code: 'unknown-key', status: 400 });
    const refused = () => encodeKeys(['enter', name]);
    expect(refused).toThrow(key);
    expect(refused).toThrow(`Unknown key: ${JSON.stringify(name)}. Valid keys: `);
    expect(refused).toThrow(/enter, return, tab, escape, .* f1 to f24$/);
  });

  it('is not repeated at length', () => {
    expect(() => encodeKeys(['x'.repeat(1_000_000)])).toThrow(/^.{1,600}$/);
  });
});
