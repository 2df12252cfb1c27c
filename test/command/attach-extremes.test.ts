import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createIn, DETACH } from '../support/attach-rig.js';
import { useXterms } from '../support/outer-xterm.js';
import { eventually } from '../support/processes.js';
import { closeAfterEach } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
closeAfterEach();
const openOuter = useXterms();

test.each([
  { cols: 500, rows: 200 },
  { cols: 1, rows: 1 },
])('shows a terminal exactly in $cols columns and $rows rows, and gives them back', async (size) => {
  const outer = openOuter(size);
  await eventually('the shell has started', () => outer.written.includes('person$'));
  const before = outer.state;
  const terminal = await createIn(used.service.home, ['sh', '-c', 'stty -echo; exec cat']);
  outer.run(used.service.home, 'attach', terminal.id);
  await eventually('it has the size', async () => {
    const { cols, rows } = await terminal.size();
    return cols === size.cols && rows === size.rows;
  });
  outer.type(`${'wide 中 text '.repeat(80)}\r`);
  await terminal.waitFor({ until: 'idle', idleMs: 300, timeoutMs: 20_000 });
  await outer.showsExactly(terminal);
  outer.type(DETACH);
  await eventually('it is detached', () => outer.isIdle);
  await eventually('all is as before', () => JSON.stringify(outer.state) === JSON.stringify(before));
  expect(await terminal.size()).toEqual({ cols: 80, rows: 20 });
});

test('types a paste of 1 MB, byte for byte', async () => {
  const outer = openOuter();
  const file = join(used.service.home, 'pasted');
  const lines = Array.from({ length: 30_000 }, (_, line) => `line ${line} é 中 of what was pasted\r`);
  const paste = Buffer.from(`\x1b[200~${lines.join('')}\x1b[201~`);
  const program = `stty raw -echo; echo ready; head -c ${paste.length} >${file}; echo done`;
  const terminal = await createIn(used.service.home, ['sh', '-c', program]);
  outer.run(used.service.home, 'attach', terminal.id);
  await outer.shows('ready');
  outer.type(paste.toString());
  await outer.shows(/ended 0/);
  const hash = (data: Buffer) => createHash('sha256').update(data).digest('hex');
  expect(hash(await readFile(file))).toBe(hash(paste));
});

test('sends the mouse to a program that wants it', async () => {
  const outer = openOuter();
  await outer.shows('person$');
  const before = outer.state;
  const terminal = await createIn(used.service.home, [
    'vim',
    '-u',
    'NONE',
    '-N',
    '+set mouse=a ttymouse=sgr',
  ]);
  outer.run(used.service.home, 'attach', terminal.id);
  await terminal.waitFor({ until: 'idle', idleMs: 300, timeoutMs: 20_000 });
  outer.type('ifirst line\rsecond line\x1b');
  await outer.shows('second line');
  outer.type('\x1b[<0;7;1M\x1b[<0;7;1m');
  outer.type('ix\x1b');
  await outer.shows('first xline');
  await outer.showsExactly(terminal);
  outer.type(':q!\r');
  await outer.shows(/ended 0/);
  await eventually('all is as before', () => JSON.stringify(outer.state) === JSON.stringify(before));
});
