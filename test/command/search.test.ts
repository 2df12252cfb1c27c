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
