import { afterEach, describe, expect, test } from 'vitest';
import type { TerminalView } from '#dist/contract/terminal-view.js';
import { DETACH, useOuters } from '../support/attach-rig.js';
import { command } from '../support/command.js';
import type { OuterTmux } from '../support/outer-tmux.js';
import { eventually, processInfo } from '../support/processes.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { startService } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
closeAfterEach();
const openOuter = useOuters();

afterEach(async () => {
  const client = clientOf();
  await Promise.all((await client.terminals.list()).map(({ id }) => client.terminals.get(id).close()));
});
const clientOf = () => connectTo(ofHome(used.service.home));
const create = (name: string, options: { command?: string[]; labels?: Record<string, string> } = {}) =>
  clientOf().terminals.create({ name, command: ['cat'], ...options });
const top = (outer: OuterTmux, ...args: string[]) => outer.command(used.service.home, ['top', ...args]);
const rowOf = (outer: OuterTmux, name: string) => outer.rows.findIndex((row) => row.includes(` ${name} `));

describe('top', () => {
  test('shows the terminals, what has become of them, and gives the terminal back', async () => {
    const outer = openOuter();
    const before = await outer.state();
    const shell = await create('shell', { command: ['bash', '--norc'], labels: { role: 'test' } });
    top(outer);
    await outer.shows('1 terminal ');
    await outer.shows(/shell +bash/);
    await create('other');
    await outer.shows('2 terminals');
    await shell.run('(exit 7)');
    await outer.shows(/prompt +shell +bash +7 {2}\(exit 7\)/);
    await shell.close();
    await eventually('it is gone', () => rowOf(outer, 'shell') === -1);
    outer.type('q');
    await outer.shows('code 0');
    await outer.shows('person$');
    expect(await outer.state()).toEqual(before);
  });

  test('attaches to the selected terminal, and comes back to the table', async () => {
    const outer = openOuter();
    const before = await outer.state();
    for (const name of ['one', 'two', 'three']) await create(name);
    top(outer, '--sort', 'name');
    await outer.shows('three');
    outer.type('j\r');
    await eventually('the table is left', () => outer.flags.alternate_on === '0');
    outer.type('typed in three\r');
    await outer.shows('typed in three\ntyped in three');
    outer.type(DETACH);
    await outer.shows('detached from three');
    await eventually('the table is back', () => rowOf(outer, 'one') === 2);
    outer.type('\r');
    await outer.shows('typed in three\ntyped in three');
    outer.type('\x04');
    await outer.shows('three exited with code 0');
    await eventually('it is gone', () => outer.rows.filter((row) => row.includes('three')).length === 1);
    outer.type('\x03');
    await outer.shows('code 0');
    expect(await outer.state()).toEqual(before);
  });

  test('filters, sorts and closes by keys', async () => {
    const outer = openOuter();
    for (const name of ['b 10', 'b 9', 'unlike']) await create(name);
    const labelled = await create('labelled', { labels: { role: 'b' } });
    top(outer, '--sort', 'age');
    await outer.shows('unlike');
    await eventually('the newest is first', () => rowOf(outer, 'labelled') === 2);
    outer.type('s');
    await outer.shows('by labels');
    outer.type('ss');
    await outer.shows('by name');
    await eventually('10 follows 9', () => rowOf(outer, 'b 10') - rowOf(outer, 'b 9') === 1);
    outer.type('/=b');
    await outer.shows('1 of 4 terminals');
    outer.type('\r');
    outer.type('cy');
    await outer.shows('labelled was closed');
    await expect(labelled.info()).rejects.toMatchObject({ code: 'terminal-not-found' });
    await outer.shows('Nothing has =b');
    outer.type('\x1b');
    await outer.shows('unlike');
    outer.type('?');
    await outer.shows('Any key returns');
    outer.type('qcn');
    await outer.shows('unlike');
    outer.type('q');
    await outer.shows('code 0');
    expect(await clientOf().terminals.list()).toHaveLength(3);
  });

  test.each([
    ['ctrl+c', (outer: OuterTmux) => outer.type('\x03'), 'code 0'],
    ['SIGTERM', (outer: OuterTmux) => process.kill(outer.pid, 'SIGTERM'), 'code 143'],
    ['SIGHUP', (outer: OuterTmux) => process.kill(outer.pid, 'SIGHUP'), 'code 129'],
    ['SIGINT', (outer: OuterTmux) => process.kill(outer.pid, 'SIGINT'), 'code 130'],
    ['an exception', (outer: OuterTmux) => process.kill(outer.pid, 'SIGUSR2'), 'a fault of the test'],
  ])('gives the terminal back after %s', async (_name, leave, shown) => {
    const outer = openOuter();
    const before = await outer.state();
    top(outer);
    await outer.shows('No terminal runs');
    expect(outer.flags).toMatchObject({ alternate_on: '1', cursor_flag: '0' });
    leave(outer);
    await outer.shows(shown);
    await outer.shows('person$');
    expect(await outer.state()).toEqual(before);
  });

  test('is stopped by ctrl+z, and goes on', async () => {
    const outer = openOuter();
    outer.type('set -m\r');
    const before = await outer.state();
    await create('here');
    top(outer);
    await outer.shows('here');
    outer.type('\x1a');
    await outer.shows('person$');
    expect(await outer.state()).toEqual(before);
    outer.type('fg\r');
    await outer.shows('here');
    await create('meanwhile');
    await outer.shows('meanwhile');
    outer.type('q');
    await outer.shows('person$');
    expect(await outer.state()).toEqual(before);
  });

  test('goes on after ctrl+z where no shell could continue it', async () => {
    const outer = openOuter();
    await create('here');
    outer.command(used.service.home, ['top'], { prefix: 'setsid --wait' });
    await outer.shows('here');
    outer.type('\x1a');
    await create('meanwhile');
    await outer.shows('meanwhile');
    outer.type('q');
    await outer.shows('code 0');
  });

  test('ends when the outer terminal is closed', async () => {
    const outer = openOuter();
    top(outer);
    await outer.shows('No terminal runs');
    const { pid } = outer;
    outer.closeWindow();
    await eventually('the process has ended', () => processInfo(pid) === undefined);
  });

  test('follows the size of its terminal', async () => {
    const outer = openOuter();
    for (let n = 0; n < 12; n++) await create(`n${n}`, { labels: { role: 'test' } });
    top(outer, '--sort', 'name');
    await outer.shows('n11');
    outer.resize({ cols: 40, rows: 9 });
    await outer.shows('rows 1 to 6');
    expect(outer.rows[1]?.trim().split(/ +/)).toEqual(['STATE', 'NAME', 'RUNS', 'LAST']);
    expect(outer.rows.filter((row) => row.includes('running'))).toHaveLength(6);
    outer.type('\x1b[6~');
    await outer.shows('rows 2 to 7');
    outer.resize({ cols: 120, rows: 20 });
    await outer.shows(/ID/);
    await outer.shows('n11');
    expect(outer.rows.filter((row) => row.includes('running'))).toHaveLength(12);
    outer.type('q');
    await outer.shows('code 0');
  });

  test('says that the service is away, and goes on with the next one', async () => {
    const outer = openOuter();
    let service = await startService();
    try {
      const created = await connectTo(ofHome(service.home)).terminals.create({
        name: 'survivor',
        command: ['cat'],
      });
      outer.command(service.home, ['top']);
      await outer.shows('survivor');
      await service.kill('SIGKILL');
      await outer.shows('No answer from the service for');
      await outer.shows('survivor');
      service = await startService({ home: service.home });
      await outer.shows('1 terminal ');
      await connectTo(ofHome(service.home)).terminals.get(created.id).update({ name: 'renamed' });
      await outer.shows('renamed');
      outer.type('q');
      await outer.shows('code 0');
    } finally {
      await service.stop();
    }
  });

  test('shows no colours and no text that moves the cursor, if NO_COLOR says so', async () => {
    const outer = openOuter();
    await create('evil\x1b[2J\x1b[3;1Hname\r\n');
    await create('second');
    outer.command(used.service.home, ['top'], { env: 'NO_COLOR=1' });
    await outer.shows('evil [2J [3;1Hname');
    await outer.shows('second');
    expect(outer.colored).not.toMatch(/\x1b\[[\d;]*3[1-7]/);
    outer.type('q');
    await outer.shows('code 0');
    outer.command(used.service.home, ['top']);
    await eventually('it has colours', () => /\x1b\[[\d;]*32m/.test(outer.colored));
    outer.type('q');
  });

  test('prints the table once in a terminal that draws nothing', async () => {
    const outer = openOuter();
    await create('printed');
    outer.command(used.service.home, ['top'], { env: 'TERM=dumb' });
    await outer.shows(/printed.*code 0/s);
    expect(outer.flags.alternate_on).toBe('0');
  });
});

describe('top without a terminal', () => {
  const run = (...args: string[]) => command(used.service.home, ['top', ...args]);

  test('prints the terminals in their order', async () => {
    for (const name of ['one', 'three', 'two']) await create(name, { labels: { name } });
    const { code, stdout, stderr } = await run('--sort', 'name');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').map((line) => line.split('\t')[2])).toEqual(['one', 'three', 'two', undefined]);
    const { terminals } = JSON.parse((await run('-o', 'json', '-l', 'name=two')).stdout) as {
      terminals: TerminalView[];
    };
    expect(terminals).toMatchObject([{ name: 'two', labels: { name: 'two' } }]);
    expect((await run('-n', '2', '-d', '0.1', '-o', 'ids')).stdout.trim().split('\n')).toHaveLength(6);
  });

  test.each([
    ['--sort', 'nonsense'],
    ['-d', '0'],
    ['-n', '0'],
    ['-n', 'x'],
  ])('%s %s is a usage error', async (...args) => {
    expect((await run(...args)).code).toBe(2);
  });
});
