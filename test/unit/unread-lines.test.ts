import { expect, test } from 'vitest';
import { UnreadLines } from '#dist/config/unread-lines.js';

test('lines that find the queue full are left out, and their number is written before the next that fits', () => {
  const written: string[] = [];
  const stream = {
    writableLength: 0,
    write: (line: string) => written.push(line) > 0,
  };
  const lines = new UnreadLines(stream, 100);
  lines.write('one\n');
  stream.writableLength = 99;
  lines.write('two\n');
  stream.writableLength = 100;
  for (let count = 0; count < 5_000; count++) lines.write('lost\n');
  expect(written).toEqual(['one\n', 'two\n']);
  stream.writableLength = 0;
  lines.write('three\n');
  lines.write('four\n');
  expect([written[2], ...written.slice(4)]).toEqual([expect.stringMatching(/^\{.*\}\n$/), 'four\n']);
  expect(written[3]).toBe('three\n');
  expect(JSON.parse(written[2]!)).toMatchObject({
    level: 40,
    leftOut: 5_000,
    msg: 'lines of the log were left out',
  });
});
