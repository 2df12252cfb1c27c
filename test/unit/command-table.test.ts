import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Context } from '#dist/command/context.js';
import { printRows } from '#dist/command/format.js';

function printed(columns: number) {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
  const { signal } = new AbortController();
  const context = new Context({
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    env: {},
    signal,
  });
  const shape = {
    columns: [{ title: 'NAME', value: ({ name }: { name: string }) => name }],
    id: ({ name }: { name: string }) => name,
    name: 'rows',
  };
  return printRows(context, [{ name: 'a long name' }], {}, shape).then(() => String(stdout.read()));
}

test('a table is cut at the width of the terminal', async () => {
  expect(await printed(6)).toBe('NAME\na lon…\n');
});

test('a terminal that does not know its size gets the table of a usual size', async () => {
  expect(await printed(0)).toBe('NAME\na long name\n');
});
