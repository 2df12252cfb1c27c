import { describe, expect, test } from 'vitest';
import { DisconnectedError, errorOf } from '#dist/client/errors.js';
import { Typist } from '#dist/client/typist.js';
import { cropRow, drawCropped } from '#dist/command/attach/cropped.js';

describe('a screen that is cut to fit', () => {
  test.each([
    ['abcdef', 0, 4, 'abcd', 4],
    ['abcdef', 2, 10, 'cdef', 4],
    ['\x1b[31mab\x1b[mcd', 1, 2, '\x1b[31mb\x1b[mc', 2],
    ['漢字x', 0, 3, '漢', 2],
    ['漢字x', 1, 4, ' 字x', 4],
    ['e\u0301x', 0, 1, 'e\u0301', 1],
    ['\x1b]8;;u\x07link\x1b]8;;\x07', 0, 2, '\x1b]8;;u\x07li\x1b]8;;\x1b\\', 2],
    ['\x1b]8;;u\x07a\x1b]8;;\x07b', 0, 2, '\x1b]8;;u\x07a\x1b]8;;\x07b', 2],
    ['x漢', 0, 2, 'x', 1],
  ])('has of %j from column %i on, %i wide, %j', (row, left, width, text, used) => {
    expect(cropRow(row, left, width)).toEqual({ text, width: used });
  });

  test('shows the rows around the cursor, and a note below', () => {
    const content = ['one', 'two', 'three', 'four'].join('\n');
    const sizes = { inner: { cols: 10, rows: 4 }, outer: { cols: 4, rows: 3 } };
    const text = drawCropped({ capture: { content, cursor_position: [3, 1] }, ...sizes, note: 'a note' });
    expect(text).toBe('\x1b[1;1Hthre\x1b[m\x1b[2;1Hfour\x1b[m\x1b[3;1H\x1b[2ma no\x1b[m\x1b[2;2H');
  });
});

describe('what is typed', () => {
  test('goes in order, one message at a time, and is dropped without a connection', async () => {
    const sent: string[] = [];
    const answers: (() => void)[] = [];
    let bells = 0;
    const typist = new Typist(
      (text) => {
        sent.push(text);
        return new Promise((resolve) => answers.push(resolve));
      },
      () => bells++,
    );
    typist.isOpen = true;
    for (const text of ['a', 'b', 'c']) typist.type(text);
    expect(sent).toEqual(['a']);
    answers.shift()!();
    await Promise.resolve();
    await new Promise(setImmediate);
    expect(sent).toEqual(['a', 'bc']);
    typist.type('late');
    typist.isOpen = false;
    typist.type('never');
    expect(bells).toBe(2);
    answers.shift()!();
    await new Promise(setImmediate);
    typist.isOpen = true;
    typist.type('d');
    expect(sent).toEqual(['a', 'bc', 'd']);
  });

  test('counts each text that does not arrive, and tells those of which nobody knows', async () => {
    const fails: Array<(error: Error) => void> = [];
    const lost: Array<[number, string]> = [];
    const typist = new Typist(
      () => new Promise((_resolve, reject) => fails.push(reject)),
      (texts, error) => lost.push([texts, error instanceof Error ? error.name : 'not sent']),
    );
    typist.isOpen = true;
    for (const text of ['a', 'b', 'c']) typist.type(text);
    fails.shift()!(new DisconnectedError('lost'));
    await new Promise(setImmediate);
    expect(lost.splice(0)).toEqual([
      [1, 'DisconnectedError'],
      [2, 'not sent'],
    ]);
    for (const text of ['a', 'b', 'c']) typist.type(text);
    fails.shift()!(errorOf({ status: 423, code: 'locked', message: 'locked', details: {} }));
    await new Promise(setImmediate);
    expect(lost.splice(0)).toEqual([[3, 'ConflictError']]);
    typist.type('x'.repeat(100_000));
    fails.shift()!(new DisconnectedError('lost'));
    await new Promise(setImmediate);
    expect(lost).toEqual([
      [1, 'DisconnectedError'],
      [1, 'not sent'],
    ]);
  });
});
