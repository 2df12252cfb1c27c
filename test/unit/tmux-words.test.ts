import { describe, expect, test } from 'vitest';
import { formatQuoted, quoted } from '#dist/workers/pty-host/tmux/words.js';

/** Returns the content of the quotes by tmux's rules: `\ooo` is a byte, all else is literal. */
function bytesOf(word: string): Buffer {
  const inner = /^"([^"]*)"$/.exec(word)?.[1];
  if (inner === undefined) throw new Error(`${word} is not one word in quotes`);
  const text = inner.replace(/\\([0-3][0-7]{2})|\\/g, (_, octal?: string) => {
    if (octal === undefined) throw new Error(`${word} has a backslash that is no byte's`);
    return String.fromCharCode(parseInt(octal, 8));
  });
  return Buffer.from(text, 'latin1');
}

describe('a word of a tmux command', () => {
  test('is readable if no part of it has a special meaning', () => {
    expect(quoted('')).toBe('""');
    expect(quoted('xterm-256color')).toBe('"xterm-256color"');
    expect(quoted('/usr/bin/env NAME=a_b, x@y: 1+2.')).toBe('"/usr/bin/env NAME=a_b, x@y: 1+2."');
    expect(quoted('~$HOME#{x};\'`"\\{}%\n')).toMatch(/^"(?:\\[0-3][0-7]{2}|HOME|x)+"$/);
  });

  test('contains any byte but NUL, and is ASCII', () => {
    const all = Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1));
    expect(bytesOf(quoted(all))).toEqual(all);
    expect(quoted(all)).toMatch(/^[\x20-\x7e]+$/);
    expect(bytesOf(quoted(new Uint8Array(all)))).toEqual(all);
    expect(bytesOf(quoted('é中😀')).toString('utf8')).toBe('é中😀');
    expect(() => quoted('a\0b')).toThrow('NUL');
    expect(() => quoted(Buffer.from([0]))).toThrow('NUL');
    expect(() => formatQuoted('\0')).toThrow('NUL');
  });

  test('may be as long as needed', () => {
    const text = Buffer.from('a paste of text\n'.repeat(65_536));
    expect(bytesOf(quoted(text)).equals(text)).toBe(true);
  });

  test('as a format doubles every #, except that it closes a style it might open', () => {
    const format = (word: string) => bytesOf(formatQuoted(word)).toString('utf8');
    expect(format('plain é')).toBe('plain é');
    expect(format('#{pid} #(id) #H #')).toBe('##{pid} ##(id) ##H ##');
    expect(format('a##b')).toBe('a####b');
    expect(format('#[x] ##[y] [z]')).toBe('###{l:[}x] #####{l:[}y] [z]');
    expect(bytesOf(formatQuoted(Buffer.from([0x23, 0xff])))).toEqual(Buffer.from([0x23, 0x23, 0xff]));
  });
});
