import { describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/client/index.js';
import { createIn } from '../support/attach-rig.js';
import { command } from '../support/command.js';
import { type OuterXterm, useXterms } from '../support/outer-xterm.js';
import { eventually } from '../support/processes.js';
import { closeAfterEach } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
closeAfterEach();
const openOuter = useXterms();

/** Sets every mode that xterm.js knows, pushes a title that nothing pops, and draws on the alternate screen. */
const MODES =
  '\\033]2;inner\\007\\033[22;0t\\033[?1049h\\033[?2004h\\033[?1003h\\033[?1006h\\033[?1004h\\033[?1h\\033=\\033[4h' +
  '\\033[20h\\033[3;9r\\033[?6h\\033[?25l\\033[?7l\\033[?45h\\033[>1u\\033[>4;2m\\033[4 q\\033(0\\033[1;31m\\033[3g' +
  '\\033]8;;http://x/\\007\\033]4;1;#123456\\007\\033[?2026h';

const create = (script: string) => createIn(used.service.home, ['sh', '-c', script]);
const createWithModes = () => create(`echo ready; read line; printf '${MODES}'; exec cat`);
const hasModes = (outer: OuterXterm) =>
  eventually('the modes are set', () => outer.written.includes('2026h'));

interface Way {
  outer: OuterXterm;
  terminal: Terminal;
}

const signal =
  (name: NodeJS.Signals) =>
  ({ outer }: Way) => {
    process.kill(outer.pid, name);
  };

describe('attach leaves the outer terminal as it was found', () => {
  test.each([
    ['the detach keys', ({ outer }: Way) => outer.type('\x1cd'), 0, 'detached from'],
    ['another client', ({ terminal }: Way) => terminal.detach(), 0, 'detached from'],
    [
      'the verb detach',
      async ({ terminal }: Way) => {
        expect(await command(used.service.home, ['detach', terminal.id])).toMatchObject({ code: 0 });
      },
      0,
      'detached from',
    ],
    ['the end of the program', ({ terminal }: Way) => terminal.type('\x04'), 0, 'exited with code 0'],
    [
      'a signal for the program',
      async ({ terminal }: Way) => process.kill((await terminal.info()).pid, 'SIGKILL'),
      137,
      'exited by SIGKILL',
    ],
    ['the end of the terminal', ({ terminal }: Way) => terminal.close(), 0, 'was closed'],
    ['SIGTERM', signal('SIGTERM'), 143, 'by SIGTERM'],
    ['SIGHUP', signal('SIGHUP'), 129, 'by SIGHUP'],
    ['SIGINT', signal('SIGINT'), 130, 'by SIGINT'],
    ['SIGQUIT', signal('SIGQUIT'), 131, 'by SIGQUIT'],
  ])('after %s', async (_name, leave, code, shown) => {
    const outer = openOuter();
    outer.type("printf '\\033]2;a person\\007'\r");
    await eventually('it has a title', () => outer.title === 'a person');
    const before = outer.state;
    const terminal = await createWithModes();
    outer.run(used.service.home, 'attach', terminal.id);
    await outer.shows('ready');
    outer.type('\r');
    await hasModes(outer);
    await leave({ outer, terminal });
    await outer.shows(`ended ${code}`);
    expect(outer.rows.join('\n')).toContain(shown);
    expect(outer.state).toEqual(before);
    expect(await terminal.clients().catch(() => [])).toEqual([]);
  });
});
