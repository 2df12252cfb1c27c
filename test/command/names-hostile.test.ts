// Names that other programs choose, in the lines that people read.
import { expect, test } from 'vitest';
import { verbsAt } from '../support/command.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { run, out, create } = verbsAt(() => used.service.home);

const HOSTILE = 'a\x1b]0;title\x07\u202eb\nauto-terminal: all is well';
const UNSAFE = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

test('errors about a terminal leave out the control characters of its name', async () => {
  const ids = [await create('-n', HOSTILE, '--', 'cat'), await create('-n', HOSTILE, '--', 'cat')];
  const ambiguous = await run('show', HOSTILE);
  expect(ambiguous).toMatchObject({ code: 3, stdout: '' });
  expect(ambiguous.stderr).not.toMatch(UNSAFE);
  expect(ambiguous.stderr).not.toMatch(/^auto-terminal: all is well/m);

  const ended = await create('-n', HOSTILE, '--', 'true');
  await out('wait', ended, '-u', 'exit');
  const exited = await run('send', ended, 'x');
  expect(exited).toMatchObject({ code: 3, stdout: '' });
  expect(exited.stderr).not.toMatch(UNSAFE);
  expect(exited.stderr).not.toMatch(/^auto-terminal: all is well/m);
  await out('close', ...ids, ended);
});

test('the prefixes of lines leave them out, too', async () => {
  await create('-n', HOSTILE, '-l', 'role=hostile');
  await create('-n', 'plain', '-l', 'role=hostile');
  const printed = await out('batch', 'run', '-l', 'role=hostile', '--', 'echo hi');
  expect(printed.match(/\| hi$/gm)).toHaveLength(2);
  expect(printed.replaceAll('\t', '')).not.toMatch(UNSAFE);
  expect(await out('logs', '-l', 'role=hostile')).not.toMatch(UNSAFE);
  await out('close', '-l', 'role=hostile');
});
