import { expect, test } from 'vitest';
import { createIn, useOuters } from '../support/attach-rig.js';
import { verbsAt } from '../support/command.js';
import { eventually } from '../support/processes.js';
import { closeAfterEach } from '../support/sdk.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const home = () => used.service.home;
const { run } = verbsAt(home);
closeAfterEach();
const openOuter = useOuters();

test('a table of 80 columns shows what was found, also far into a long line', async () => {
  const line = `${'日本 before it '.repeat(5)}an Otter, and ${'after it '.repeat(9)}`;
  const terminal = await createIn(home(), ['sh', '-c', `echo '${line}'; exec cat`]);
  await eventually('it is indexed', async () => (await run('search', 'an otter')).stdout !== '');
  const outer = openOuter();
  outer.command(home(), ['search', 'an otter']);
  await outer.shows('an Otter, and after it');
  const { stdout } = await run('search', 'an otter');
  expect(stdout).toContain(`${'日本 before it '.repeat(3)}an Otter, and after it`);
  await terminal.close();
});

test('more results than are listed: it says so, and --limit lists more', async () => {
  const terminal = await createIn(home(), ['cat']);
  for (const text of ['kiwi 1', 'kiwi 2', 'kiwi 3']) await terminal.type(`${text}\r`);
  const all = async () => (await run('search', 'kiwi', '-o', 'ndjson')).stdout.split('\n').length - 1;
  // Three typed lines, and what cat and its terminal have printed.
  await eventually('they are indexed', async () => (await all()) >= 4);
  const some = await run('search', 'kiwi', '-n', '2', '-q');
  expect(some).toEqual({
    code: 0,
    stdout: `${terminal.id}\n`.repeat(2),
    stderr: 'auto-terminal: these are the newest 2; there may be more: --limit\n',
  });
  expect(await run('search', 'kiwi', '-q')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('search', 'kiwi', '-n', '0')).toMatchObject({ code: 2 });
  expect(await run('search', 'kiwi', '-n', '1001')).toMatchObject({ code: 2 });
  await terminal.close();
});
