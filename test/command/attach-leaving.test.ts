import { describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/client/index.js';
import { createIn, DETACH, showsTheSame, useOuters } from '../support/attach-rig.js';
import type { OuterTmux } from '../support/outer-tmux.js';
import { eventually, processInfo } from '../support/processes.js';
import { closeAfterEach } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
closeAfterEach();
const openOuter = useOuters();
const create = (command: string[]) => createIn(used.service.home, command);

describe('after attach', () => {
  /** Sets every mode that tmux reports, and others. */
  const MODES =
    '\\033[?1049h\\033[?2004h\\033[?1003h\\033[?1006h\\033[?1004h\\033[?1h\\033=\\033[4h\\033[3;9r\\033[?6h' +
    '\\033[?25l\\033[?7l\\033[>1u\\033[>4;2m\\033[4 q\\033(0\\033[1;31m\\033]2;inner\\007\\033[3g';

  test.each([
    ['the detach keys', (outer: OuterTmux) => outer.type(DETACH), '"detached"'],
    ['another client', (_: OuterTmux, terminal: Terminal) => terminal.detach(), '"detached"'],
    ['the end of the program', (_: OuterTmux, terminal: Terminal) => terminal.type('\x04'), '"exited"'],
    ['the end of the terminal', (_: OuterTmux, terminal: Terminal) => terminal.close(), 'ended'],
    ['SIGTERM', (outer: OuterTmux) => process.kill(outer.pid, 'SIGTERM'), '"signal":"SIGTERM"'],
    ['SIGHUP', (outer: OuterTmux) => process.kill(outer.pid, 'SIGHUP'), '"signal":"SIGHUP"'],
    ['SIGINT', (outer: OuterTmux) => process.kill(outer.pid, 'SIGINT'), '"signal":"SIGINT"'],
    ['an exception', (outer: OuterTmux) => process.kill(outer.pid, 'SIGUSR2'), 'a fault of the test'],
  ])('resets all modes after %s', async (_name, leave, shown) => {
    const outer = openOuter();
    const before = await outer.state();
    const terminal = await create(['sh', '-c', `printf '${MODES}'; exec cat`]);
    outer.attach(used.service.home, terminal.id, {}, { fails: true });
    await eventually('the modes are set', () => outer.flags.mouse_all_flag === '1');
    await leave(outer, terminal);
    await outer.shows(shown);
    await outer.shows('person$');
    expect(await outer.state()).toEqual(before);
  });

  test('ends when the outer terminal is closed', async () => {
    const outer = openOuter();
    const terminal = await create(['cat']);
    outer.attach(used.service.home, terminal.id);
    await eventually('it is attached', async () => (await terminal.clients()).length === 1);
    const { pid } = outer;
    outer.closeWindow();
    await eventually('the process has ended', () => processInfo(pid) === undefined);
    expect(await terminal.clients()).toEqual([]);
    expect(await terminal.info()).toMatchObject({ id: terminal.id, status: 'running' });
  });

  test('gives the terminal back while it is stopped, and draws the screen again', async () => {
    const outer = openOuter();
    outer.type('set -m\r');
    const before = await outer.state();
    const terminal = await create(['vim', '-u', 'NONE', '-N']);
    outer.attach(used.service.home, terminal.id);
    await outer.shows('Vi IMproved');
    process.kill(outer.pid, 'SIGTSTP');
    await outer.shows('person$');
    expect(await outer.state()).toEqual(before);
    outer.type('fg\r');
    await outer.shows('Vi IMproved');
    outer.type('ihello');
    await outer.shows('hello');
    await showsTheSame(outer, terminal);
    outer.type('\x1b:q!\r');
    await outer.shows('ended');
    expect(await outer.state()).toEqual(before);
  });

  test('leaves each query to the service', async () => {
    const outer = openOuter();
    const before = await outer.state();
    const queries = [
      '[c',
      '[>c',
      '[5n',
      '[6n',
      '[?2026$p',
      ']10;?\\007',
      ']11;?\\007',
      '[>q',
      '[?u',
      'P$qm\\033\\\\',
    ];
    const script = `stty raw -echo; printf '${queries.map((query) => `\\033${query}`).join('')}ready'; exec cat -v`;
    const answers = async (isAttached: boolean) => {
      const terminal = await create(['sh', '-c', script]);
      if (isAttached) outer.attach(used.service.home, terminal.id);
      if (isAttached) await outer.shows('ready');
      await terminal.waitFor({ until: 'idle', idleMs: 1_000, timeoutMs: 20_000 });
      const { raw } = await terminal.output();
      if (isAttached) outer.type(DETACH);
      if (isAttached) await outer.shows('ended');
      return raw;
    };
    const alone = await answers(false);
    expect(alone).toContain('^[]11;rgb:');
    expect(await answers(true)).toBe(alone);
    // An answer that comes too late would be typed at the prompt.
    expect(outer.rows.filter((row) => /^person\$ +\S/.test(row) && !row.includes('sh /'))).toEqual([]);
    expect(await outer.state()).toEqual(before);
  });
});
