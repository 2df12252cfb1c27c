import { describe, expect, test } from 'vitest';
import { createIn } from '../support/attach-rig.js';
import { CLI } from '../support/cli.js';
import { command } from '../support/command.js';
import { useXterms } from '../support/outer-xterm.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
closeAfterEach();
const openOuter = useXterms();
const client = () => connectTo(ofHome(used.service.home));
const named = async (name: string) =>
  (await client().terminals.list({ status: 'all' })).filter((terminal) => terminal.name === name);

describe('attach is refused', () => {
  test.each([
    [
      'with keys that are none',
      { env: {}, args: ['--detach-keys', 'meta-x'] },
      '--detach-keys: "meta-x" is no key',
    ],
    [
      'with keys of the environment that are none',
      { env: { AUTO_TERMINAL_DETACH_KEYS: 'ctrl-1' }, args: [] },
      'AUTO_TERMINAL_DETACH_KEYS: "ctrl-1" is no key',
    ],
    ['by a dumb terminal', { env: { TERM: 'dumb' }, args: [] }, 'TERM is "dumb"'],
  ])('%s, before anything is created', async (_name, { env, args }, shown) => {
    const outer = openOuter({ env });
    await outer.shows('person$');
    const before = outer.state;
    outer.run(used.service.home, 'attach', '-A', 'never', ...args);
    await outer.shows('ended 2');
    expect(outer.rows.join('\n')).toContain(shown);
    expect(outer.state).toEqual(before);
    expect(await named('never')).toEqual([]);
  });

  test('without a terminal, before anything is created', async () => {
    const { code, stdout, stderr } = await command(used.service.home, ['attach', '-A', 'never']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('is not a terminal');
    expect(await named('never')).toEqual([]);
  });

  test('in the very terminal that it would show', async () => {
    const outer = openOuter();
    const terminal = await createIn(used.service.home, ['sh']);
    outer.run(used.service.home, 'attach', terminal.id);
    await outer.shows('inner$');
    outer.type(`clear; AUTO_TERMINAL_HOME=${used.service.home} node ${CLI} attach me; echo "code $?"\r`);
    await outer.shows('code 2');
    expect(outer.rows.join('')).toContain('is the terminal that this command runs in');
    expect((await terminal.clients()).length).toBe(1);
  });

  test('by an exited terminal', async () => {
    const outer = openOuter();
    await outer.shows('person$');
    const before = outer.state;
    const terminal = await createIn(used.service.home, [
      'sh',
      '-c',
      "printf '\\033[?1003h\\033[1mlast words'",
    ]);
    await terminal.waitFor({ until: 'exit', timeoutMs: 20_000 });
    outer.run(used.service.home, 'attach', terminal.id);
    await outer.shows('ended 3');
    expect(outer.rows.join('\n')).toMatch(/has exited\nauto-terminal screen term_\w+ shows/);
    expect(outer.state).toEqual(before);
  });
});

describe('attach --create', () => {
  test('makes another terminal in the place of one that has exited, in the size of the outer one', async () => {
    const outer = openOuter({ cols: 70, rows: 15 });
    const { id } = await client().terminals.create({ name: 'work', command: ['true'] });
    await client().terminals.get(id).waitFor({ until: 'exit', timeoutMs: 20_000 });
    outer.run(used.service.home, 'attach', '-A', 'work');
    await outer.shows(/^[$#] *$/m);
    outer.type('echo $((6 * 7))\r');
    await outer.shows('\n42');
    outer.type('\x1cd');
    await outer.shows('ended 0');
    const running = (await named('work')).filter(({ status }) => status === 'running');
    expect(running).toHaveLength(1);
    expect(await client().terminals.get(running[0]!.id).size()).toEqual({ cols: 70, rows: 15 });
  });
});

describe('the name of a terminal', () => {
  test('writes no escape sequence to the outer terminal', async () => {
    const outer = openOuter();
    await outer.shows('person$');
    const before = outer.state;
    const name = 'bad\x1b]2;hijacked\x07\x1b[?1003hname\r\n\x9b?1002h';
    const { id } = await client().terminals.create({ name, command: ['sh', '-c', 'echo ready; cat'] });
    outer.run(used.service.home, 'attach', id);
    await outer.shows('ready');
    outer.type('\x1cd');
    await outer.shows('ended 0');
    expect(outer.rows.join('\n')).toContain('[detached from bad ]2;hijacked');
    expect(outer.state).toEqual(before);
  });
});
