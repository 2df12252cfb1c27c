import { describe, expect, test } from 'vitest';
import { createIn } from '../support/attach-rig.js';
import { useXterms } from '../support/outer-xterm.js';
import { eventually, processInfo } from '../support/processes.js';
import { closeAfterEach } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
closeAfterEach();
const openOuter = useXterms();

/** A person's shell with job control, and a terminal with modes and a title; the attach to it is stopped. */
async function stopped() {
  const outer = openOuter();
  await outer.shows('person$');
  outer.type('set -m; stty -ixon\r');
  await outer.shows('person$ set -m; stty -ixon\nperson$');
  const before = outer.state;
  const script = `printf '\\033[?1049h\\033[?1003h\\033[?25l\\033]2;inner\\007modes are set'; exec cat`;
  const terminal = await createIn(used.service.home, ['sh', '-c', script]);
  outer.run(used.service.home, 'attach', terminal.id);
  await outer.shows('modes are set');
  const { pid } = outer;
  process.kill(pid, 'SIGTSTP');
  await outer.shows('person$');
  await eventually('it is stopped', () => processInfo(pid)?.state === 'T');
  return { outer, before, terminal };
}

/** Whether a process has ended; its shell may detect that only at the next line. */
function hasEnded(pid: number): boolean {
  return (processInfo(pid)?.state ?? 'Z') === 'Z';
}

describe('a stopped attach', () => {
  test('has given the outer terminal back, and draws the screen in its new size', async () => {
    const { outer, before, terminal } = await stopped();
    expect(outer.state).toEqual(before);
    outer.resize({ cols: 60, rows: 12 });
    outer.type('fg\r');
    await outer.shows('modes are set');
    await eventually('it has the new size', async () => (await terminal.size()).cols === 60);
    outer.type('typed\r');
    await outer.shows('typed');
    // The output of cat may come after the echo.
    await eventually('both show the same', async () => {
      const { content } = await terminal.capture();
      const rows = content.split('\n').map((row) => row.replace(/\x1b\[[\d;:]*m/g, '').trimEnd());
      return outer.rows.join('\n') === rows.join('\n');
    });
    outer.resize({ cols: 80, rows: 20 });
    await eventually('it has the old size', async () => (await terminal.size()).cols === 80);
    outer.type('\x1cd');
    await outer.shows('[detached from');
    await outer.shows(/person\$ *\n*$/);
    expect(outer.state).toEqual(before);
  });

  test('ends, and leaves the terminal as it was, when the shell kills its job', async () => {
    const { outer, before } = await stopped();
    const { pid } = outer;
    // `kill %1` of bash also continues the job; dash does not continue a job that it ends.
    outer.type('kill %1; kill -s CONT %1\r');
    await eventually('it has ended', () => hasEnded(pid));
    outer.type('echo "still $((40 + 2))"\r');
    await outer.shows('still 42');
    expect(outer.state).toEqual(before);
  });

  test('ends at a signal that comes while it takes the terminal again', async () => {
    const { outer, before } = await stopped();
    const { pid } = outer;
    outer.type('fg\r');
    await eventually('it runs', () => processInfo(pid)?.state !== 'T');
    process.kill(pid, 'SIGCONT');
    process.kill(pid, 'SIGTERM');
    await eventually('it has ended', () => hasEnded(pid));
    await outer.shows(/person\$ *\n*$/);
    expect(outer.state).toEqual(before);
  });
});
