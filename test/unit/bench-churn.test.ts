import { expect, it } from 'vitest';
import { numbersOf, upTo } from '../../bench/churn/actions.js';
import { expectSame, Tally, WrongAnswer } from '../../bench/churn/tally.js';

it('counts wrong answers and errors apart, and reports each with its place', () => {
  const reports: string[] = [];
  const tally = new Tally((text) => reports.push(text));
  tally.did('list', 1_200);
  tally.did('list', 300);
  tally.did('open', 40);
  tally.failed('step 3', new WrongAnswer('7, expected 8'));
  tally.failed('step 4', new Error('answered 500'));
  tally.failed('step 5', 'no error at all');
  expect([tally.operations, tally.wrong, tally.errors]).toEqual([3, 1, 2]);
  expect(tally.spell()).toBe('list 2 (1.2 s), open 1 (0.0 s)');
  expect(reports).toEqual([
    'wrong answer, step 3: 7, expected 8',
    expect.stringMatching(/^error, step 4: Error: answered 500\n/),
    'error, step 5: no error at all',
  ]);
});

it('throws for an answer that differs, and shows where', () => {
  expectSame('list', [1, { a: undefined }], [1, {}]);
  expect(() => expectSame('code', undefined, null)).toThrow(new WrongAnswer('code: nothing, expected null'));
  const long = upTo(1_000);
  const message = /^lines: .*499,500,502,503.*, expected .*499,500,501,502.*$/;
  expect(() => expectSame('lines', [...long.slice(0, 500), ...long.slice(501)], long)).toThrow(message);
});

it('finds the numbered lines of a token, and not those of another', () => {
  const text = '$ echo t1z-$i\r\n\x1b]133;C\x07t1z-1\r\nt1z-2\r\nt11z-3\r\nt1z-4 \r\nt1z-5';
  expect(numbersOf(text, 't1z')).toEqual([1, 2, 5]);
});
