import { describe, expect, test } from 'vitest';
import { createIn, DETACH, SIZE, showsTheSame, useOuters } from '../support/attach-rig.js';
import { eventually } from '../support/processes.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { startService } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
closeAfterEach();
const openOuter = useOuters();
const create = (command: string[]) => createIn(used.service.home, command);

describe('attach', () => {
  test('shows a shell, types into it, and gives the terminal back at the detach keys', async () => {
    const outer = openOuter();
    const terminal = await create(['sh']);
    const before = await outer.state();
    outer.attach(used.service.home, terminal.id, { name: 'mine' });
    await outer.shows('inner$');
    outer.type('echo $((6 * 7))é\r');
    await outer.shows('42é');
    await showsTheSame(outer, terminal);
    outer.type(DETACH);
    await outer.shows('ended {"reason":"detached"}');
    expect(outer.rows.join('\n')).toContain('[detached from mine]');
    // The person's earlier screen is in the scrollback.
    expect(outer.history).toContain('person$ sh /');
    expect(await outer.state()).toEqual(before);
    expect(await terminal.clients()).toEqual([]);
  });

  test.each([
    ['vim', ['vim', '-u', 'NONE', '-N'], 'ihello\x1b', 'hello', ':q!\r'],
    ['less', ['sh', '-c', 'seq 500 | less'], '200g', '200', 'q'],
    ['htop', ['sh', '-c', 'htop -d 100'], '\x1bOB', 'Command', 'q'],
  ])('shows %s as it is, and its keys arrive', async (_name, command, keys, shown, quit) => {
    const outer = openOuter();
    const before = await outer.state();
    const terminal = await create(command);
    outer.attach(used.service.home, terminal.id);
    await terminal.waitFor({ until: 'idle', idleMs: 500, timeoutMs: 20_000 });
    outer.type(keys);
    await outer.shows(shown);
    await showsTheSame(outer, terminal);
    outer.type(quit);
    await outer.shows(/ended {"reason":"exited","exitCode":0/);
    expect(await outer.state()).toEqual(before);
  });

  test('shows the end of a flood', async () => {
    const outer = openOuter();
    const terminal = await create(['sh']);
    outer.attach(used.service.home, terminal.id);
    await outer.shows('inner$');
    outer.type('seq 300000; echo flood ended\r');
    await outer.shows('300000');
    await outer.shows('flood ended\ninner$');
    await showsTheSame(outer, terminal);
  });

  test('gives the terminal the size of the outer one, and follows it', async () => {
    const outer = openOuter({ cols: 90, rows: 15 });
    const terminal = await create(['sh']);
    outer.attach(used.service.home, terminal.id);
    await outer.shows('inner$');
    expect(await terminal.size()).toEqual({ cols: 90, rows: 15 });
    outer.type('seq 40\r');
    await outer.shows('40\ninner$');
    outer.resize({ cols: 60, rows: 18 });
    await eventually('it has the new size', async () => (await terminal.size()).cols === 60);
    outer.type('seq 5\r');
    await outer.shows('5\ninner$');
    await showsTheSame(outer, terminal);
    outer.type(DETACH);
    await outer.shows('ended');
    await eventually('it has its own size', async () => (await terminal.size()).cols === 80);
  });

  test('draws for a reader what fits, around the cursor, and types nothing', async () => {
    const [leader, reader] = [openOuter(), openOuter({ cols: 40, rows: 8 })];
    const terminal = await create(['sh']);
    const before = await reader.state();
    leader.attach(used.service.home, terminal.id);
    await leader.shows('inner$');
    reader.attach(used.service.home, terminal.id, { readOnly: true, name: 'shared' });
    await reader.shows('shared is 80x20, and you only watch it');
    leader.type('seq 30; printf "%070d\\n" 7\r');
    await reader.shows(/30\n0{40}\ninner\$\s*\n/);
    reader.type('never\r');
    leader.type('echo by the leader\r');
    await reader.shows('by the leader');
    expect((await terminal.capture()).content).not.toContain('never');
    reader.resize(SIZE);
    await showsTheSame(reader, terminal);
    reader.type(DETACH);
    await reader.shows('[detached from shared]');
    reader.resize({ cols: 40, rows: 8 });
    expect(await reader.state()).toEqual(before);
  });

  test('gives the size to the client that types', async () => {
    const [first, second] = [openOuter(), openOuter({ cols: 100, rows: 25 })];
    const terminal = await create(['sh']);
    first.attach(used.service.home, terminal.id);
    await first.shows('inner$');
    second.attach(used.service.home, terminal.id);
    await second.shows('type to give it this size');
    second.type('echo from the second\r');
    await eventually('it has the size', async () => (await terminal.size()).cols === 100);
    await second.shows('\nfrom the second');
    await showsTheSame(second, terminal);
    await first.shows('is 100x25; type to give it this size');
    first.type('echo back\r');
    await first.shows('\nback');
    await showsTheSame(first, terminal);
  });

  test('keeps the screen while the service is dead, drops what is typed, and goes on', async () => {
    const outer = openOuter();
    let service = await startService();
    try {
      const client = connectTo(ofHome(service.home));
      const { id } = await client.terminals.create({
        command: ['sh'],
        ...SIZE,
        env: { PS1: 'inner$ ', ENV: '' },
      });
      outer.attach(service.home, id);
      await outer.shows('inner$');
      outer.type('echo before\r');
      await outer.shows('\nbefore');
      await service.kill('SIGKILL');
      await eventually('the title says so', () => outer.title.includes('waiting for the service'));
      await outer.shows('Waiting for the service; what you type is not sent');
      outer.type('lost');
      service = await startService({ home: service.home });
      await eventually('the title is back', () => !outer.title.includes('waiting for the service'));
      outer.type('echo after\r');
      await outer.shows('\nafter');
      const terminal = connectTo(ofHome(service.home)).terminals.get(id);
      await showsTheSame(outer, terminal);
      expect(outer.rows.join('\n')).not.toMatch(/lost|Waiting/);
      outer.type(DETACH);
      await outer.shows('ended');
    } finally {
      await service.stop();
    }
  });

  test.each([
    ['as CSI u', ['\x1b[92;5u', 'd']],
    ['as CSI u, with events', ['\x1b[57442;5u\x1b[92;5:1u\x1b[92;5:3u\x1b[57442;1:3u\x1b[100;1:1u']],
    ['as modifyOtherKeys', ['\x1b[27;5;92~d']],
    ['after other keys', ['abc\x1cd']],
    ['in two reads', ['\x1c', 'd']],
    ['in a paste', ['\x1b[200~abc\x1cd\x1b[201~']],
  ])('finds the detach keys %s', async (_name, reads) => {
    const outer = openOuter();
    const terminal = await create(['sh', '-c', 'stty -isig; echo ready; cat']);
    outer.attach(used.service.home, terminal.id);
    await outer.shows('ready');
    for (const read of reads) outer.type(read);
    await outer.shows('ended {"reason":"detached"}');
    expect(outer.rows.join('\n')).not.toMatch(/92[;:]/);
  });

  test('sends the keys that begin like the detach keys, and takes others', async () => {
    const outer = openOuter();
    const terminal = await create(['sh', '-c', 'stty raw -echo; echo ready; exec cat -v']);
    outer.attach(used.service.home, terminal.id, { detachKeys: 'ctrl-p,ctrl-q' });
    await outer.shows('ready');
    outer.type('\x10a\x10\x10\x1c.\x1b[A\x03');
    await outer.shows('^Pa^P^\\.^[[A^C');
    outer.type('\x10\x11');
    await outer.shows('ended');
  });
});
