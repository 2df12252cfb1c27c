import { describe, expect, it } from 'vitest';
import { splitLines } from '../../src/actors/search/split-lines.js';
import { TypedLines } from '../../src/actors/search/typed-lines.js';

const add = (lines: TypedLines, id: string, data: string, isHidden = false) =>
  lines.add(id, data, { isHidden, position: 0 }).map(({ text }) => text);

/** Returns the lines that these writes to one terminal finish. */
function typed(...writes: string[]): string[] {
  const lines = new TypedLines();
  return writes.flatMap((data) => add(lines, 't', data));
}

describe('typed lines', () => {
  it.each([
    ['a line typed key by key', ['l', 's', ' ', '-', 'l', '\r'], ['ls -l']],
    ['several lines of one write', ['one\rtwo\nthree\r\nfour'], ['one', 'two', 'three']],
    ['mended mistakes', ['lss\x7f\x08', 's\r'], ['ls']],
    ['a mended wide character', ['a😀\x7fb\r'], ['ab']],
    ['more backspaces than characters', ['a\x7f\x7f\x7fb\r'], ['b']],
    ['cursor keys and function keys', ['a\x1b[Db\x1bOPc\x1b[15~\r'], ['abc']],
    ['a paste without its brackets', ['\x1b[200~make\rtest\x1b[201~', '\r'], ['make', 'test']],
    ['a submit with Alt', ['prompt', '\x1b\r'], ['prompt']],
    ['titles and other strings', ['a\x1b]0;title\x07b\x1bP1$r\x1b\\c\r'], ['abc']],
    ['other control characters', ['a\tb\x01\x00\x9bc\r'], ['abc']],
    ['lines that were given up', ['wrong\x03right\r', 'bad\x15good\r'], ['right', 'good']],
    ['an Escape key alone', ['\x1b', 'dd', '\r'], ['dd']],
    ['no empty lines', ['\r\r  \r\n'], []],
    ['nothing before Enter', ['half'], []],
  ])('are %s', (_name, writes, lines) => {
    expect(typed(...writes)).toEqual(lines);
  });

  it('are dropped if some of them was typed in secret, whatever came before and after in the line', () => {
    const lines = new TypedLines();
    const secretly = true;
    expect(add(lines, 't', 'one\rhalf a')).toEqual(['one']);
    expect(add(lines, 't', 'pass', secretly)).toEqual([]);
    expect(add(lines, 't', 'word\rtwo\r')).toEqual(['two']);
    expect(add(lines, 't', 'three')).toEqual([]);
    expect(add(lines, 't', '\rfour\r', secretly)).toEqual([]);
    expect(add(lines, 't', 'five\r')).toEqual(['five']);
  });

  it('mark a key that is no text, and where their first key was typed', () => {
    const lines = new TypedLines();
    lines.add('t', 'cd /ho', { isHidden: false, position: 7 });
    const [line] = lines.add('t', '\tx\x7fy\r', { isHidden: false, position: 9 });
    expect(line).toEqual({ text: 'cd /hoy', typed: 'cd /ho y', position: 7 });
  });

  it('are of one terminal each, and forgotten with it', () => {
    const lines = new TypedLines();
    add(lines, 'a', 'of a');
    add(lines, 'b', 'of b');
    lines.drop('b');
    expect(add(lines, 'a', '\r')).toEqual(['of a']);
    expect(add(lines, 'b', '\r')).toEqual([]);
  });

  it('cost no more for a mended mistake in a long line than in a short one', () => {
    expect(typed(`${'a'.repeat(4_090)}${'b\x7f'.repeat(512 * 1024)}\r`)).toEqual(['a'.repeat(4_090)]);
    const lines = new TypedLines();
    add(lines, 't', 'a'.repeat(4_090));
    // The same holds key by key.
    for (let key = 0; key < 200_000; key++) add(lines, 't', key % 2 === 0 ? 'b' : '\x7f');
    expect(add(lines, 't', '\r')).toEqual(['a'.repeat(4_090)]);
  });

  it('are bounded', () => {
    expect(typed('x'.repeat(10_000), `${'y'.repeat(10_000)}\r`)).toEqual(['x'.repeat(4_096)]);
  });
});

describe('splitLines', () => {
  it.each([
    ['a text that fits', 'one\ntwo', 7, ['one\ntwo']],
    ['between lines', 'one\ntwo\nthree', 8, ['one\ntwo', 'three']],
    ['a line that is too long', 'abcdefgh\nij', 3, ['abc', 'def', 'gh', 'ij']],
    ['between characters', 'äöü€😀', 4, ['äö', 'ü', '€', '😀']],
    ['nothing', '', 4, []],
  ])('cuts %s', (_name, text, bytes, pieces) => {
    expect(splitLines(text, bytes)).toEqual(pieces);
  });

  it('loses nothing but line ends between pieces', () => {
    const text = Array.from({ length: 500 }, (_, index) => `line ${index} ${'ü'.repeat(index % 50)}`).join(
      '\n',
    );
    const pieces = splitLines(text, 100);
    expect(pieces.every((piece) => Buffer.byteLength(piece) <= 100)).toBe(true);
    expect(pieces.join('\n').replaceAll('\n', '')).toBe(text.replaceAll('\n', ''));
  });
});
