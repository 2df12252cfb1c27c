// Ids and texts from standard input.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { CLI } from '../support/cli.js';
import { environmentFor, verbsAt } from '../support/command.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { run, out, create } = verbsAt(() => used.service.home);

test.each([
  ['keys', '-', 'enter'],
  ['send', '-', 'text'],
  ['logs', '-'],
  ['wait', '-', '-u', 'exited'],
  ['batch', 'close', '--target', '-'],
])('%s %s without an id on standard input is an error', async (...args) => {
  expect(await run(...args)).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('Standard input names no terminal'),
  });
});

test('close without an id on standard input has nothing left to close', async () => {
  expect(await run('close', '-')).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('bytes that are no text are refused, and nothing is typed', async () => {
  const id = await create('--', 'cat');
  const child = spawn(process.execPath, [CLI, 'send', id, '-'], { env: environmentFor(used.service.home) });
  child.stdin.end(Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(said).toContain('Standard input is no text in UTF-8');
  expect(code).toBe(2);
  expect(await out('screen', id)).toBe('\n');
  await out('close', id);
});

test('a mark of the byte order is typed like the rest of the text', async () => {
  const id = await create('--', 'od', '-An', '-tx1', '-N5');
  const child = spawn(process.execPath, [CLI, 'send', id, '-'], { env: environmentFor(used.service.home) });
  child.stdin.end(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0x0a]));
  expect(await once(child, 'exit')).toEqual([0, null]);
  await out('wait', id, '-u', 'exited');
  expect(await out('logs', id)).toContain('ef bb bf 61 0a');
});
