import { beforeAll, describe, expect, test } from 'vitest';
import { createIn, useOuters } from '../support/attach-rig.js';
import { command } from '../support/command.js';
import type { OuterTmux } from '../support/outer-tmux.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
closeAfterEach();
const openOuter = useOuters();

const recordings = () => connectTo(ofHome(used.service.home)).recordings;
const play = (outer: OuterTmux, ...args: string[]) => outer.command(used.service.home, ['play', ...args]);

/**
 * Records a script that reads a line and pauses before each of these texts, so that each text becomes an event of its
 * own: output of one moment is one event. Resolves with the id of the recording.
 */
async function recorded(script: string, texts: readonly string[], typed = '\r'): Promise<string> {
  const terminal = await createIn(used.service.home, [
    'sh',
    '-c',
    `stty -echo; printf ready; ${script}; cat`,
  ]);
  const prints = async (text: string) =>
    expect(await terminal.waitFor({ until: 'text', text, timeoutMs: 20_000 })).toMatchObject({ done: true });
  await prints('ready');
  const id = await terminal.record();
  for (const text of texts) {
    await terminal.type(typed);
    await prints(text);
  }
  await recordings().stop(id);
  await terminal.close();
  return id;
}

/** Resolves with the time just after the recording has printed the text, in seconds. */
async function startAfter(id: string, text: string): Promise<string> {
  let file = '';
  for await (const piece of recordings().export(id, 'asciicast')) file += Buffer.from(piece).toString();
  const [, ...lines] = file.trim().split('\n');
  const events = lines.map((line) => JSON.parse(line) as [number, string, string]);
  return String(events.find(([, , data]) => data.includes(text))![0] + 0.000_1);
}

/** Speed at which each pause of a recording lasts for hours. */
const SLOW = '0.00001';

/** Sets every mode that tmux reports, asks everything, and stays on the alternate screen. */
const MODES =
  '\\033[?1049h\\033[?2004h\\033[?1003h\\033[?1006h\\033[?1h\\033=\\033[4h\\033[3;9r\\033[?6h\\033[?25l\\033[?7l' +
  '\\033]2;inner\\007\\033[c\\033[6n\\033[?2026$p\\033]11;?\\007\\033[>q';

describe('play', () => {
  let steps: string;
  let modes: string;
  beforeAll(async () => {
    const words = ['step 1', 'step 2', 'step 3', 'step 4', 'end'];
    steps = await recorded(
      words.map((word) => `read -r go; sleep 0.1; printf '${word}\\r\\n'`).join('; '),
      words,
    );
    modes = await recorded(
      `read -r go; sleep 0.1; printf '${MODES}drawn'; read -r go; sleep 0.1; printf end`,
      ['drawn', 'end'],
    );
  });

  test('shows the recording on an empty screen, and what was there is in the scrollback', async () => {
    const outer = openOuter();
    const before = await outer.state();
    outer.type('echo by the person\r');
    await outer.shows('\nby the person');
    play(outer, steps);
    await outer.shows('code 0');
    expect(outer.rows.slice(0, 7)).toEqual(['step 1', 'step 2', 'step 3', 'step 4', 'end', '', 'code 0']);
    expect(outer.history).toContain('\nby the person');
    expect(await outer.state()).toEqual(before);
  });

  test('waits as long as the recording says, and for keys', async () => {
    const outer = openOuter();
    play(outer, '--speed', SLOW, '--start', await startAfter(steps, 'step 1'), steps);
    await outer.shows('step 1');
    // Only a step shows the next text: at this speed alone it would take hours.
    for (const n of [2, 3]) {
      outer.type(n === 2 ? ' .' : '.');
      await outer.shows(`step ${n}`);
      expect(outer.rows.join('\n')).not.toContain(`step ${n + 1}`);
    }
    // `+` chooses the first of the usual speeds.
    outer.type(' +');
    await outer.shows('code 0');
    expect(outer.rows.join('\n')).toContain('step 4\nend');
  });

  test.each([
    ['--idle-limit', '0'],
    ['--start', '1000'],
  ])('%s %s leaves no pause', async (...options) => {
    const outer = openOuter();
    play(outer, '--speed', SLOW, ...options, steps);
    await outer.shows('step 4\nend\n\ncode 0');
  });

  test('sends no query to the terminal, and resets what the recording has set', async () => {
    const outer = openOuter();
    const before = await outer.state();
    play(outer, modes);
    await outer.shows('code 0');
    await outer.shows('person$');
    expect(outer.rows.join('\n')).not.toMatch(/\d+;\d+[Rc]|rgb:/);
    expect(await outer.state()).toEqual(before);
  });

  test.each([
    ['q', (outer: OuterTmux) => outer.type('q'), 'code 0'],
    ['ctrl+c', (outer: OuterTmux) => outer.type('\x03'), 'code 0'],
    ['SIGTERM', (outer: OuterTmux) => process.kill(outer.pid, 'SIGTERM'), 'code 143'],
    ['SIGHUP', (outer: OuterTmux) => process.kill(outer.pid, 'SIGHUP'), 'code 129'],
    ['an exception', (outer: OuterTmux) => process.kill(outer.pid, 'SIGUSR2'), 'a fault of the test'],
  ])('gives the terminal back after %s', async (_name, leave, shown) => {
    const outer = openOuter();
    const before = await outer.state();
    play(outer, '--speed', SLOW, '--start', await startAfter(modes, 'drawn'), modes);
    await outer.shows('drawn');
    expect(outer.flags).toMatchObject({ alternate_on: '1', mouse_all_flag: '1', cursor_flag: '0' });
    leave(outer);
    await outer.shows(shown);
    await outer.shows('person$');
    expect(await outer.state()).toEqual(before);
  });

  test('is stopped by ctrl+z, and shows everything again', async () => {
    const outer = openOuter();
    outer.type('set -m\r');
    const before = await outer.state();
    play(outer, '--speed', SLOW, '--start', await startAfter(steps, 'step 1'), steps);
    await outer.shows('step 1');
    outer.type(' .');
    await outer.shows('step 2');
    outer.type('\x1a');
    await outer.shows('person$');
    expect(await outer.state()).toEqual(before);
    outer.type('clear; fg\r');
    await outer.shows('step 1\nstep 2\n');
    expect(outer.rows.join('\n')).not.toContain('step 3');
    outer.type('.');
    await outer.shows('step 2\nstep 3');
    outer.type('q');
    await outer.shows('person$');
    expect(await outer.state()).toEqual(before);
  });

  test('says that the terminal is smaller', async () => {
    const outer = openOuter({ cols: 60, rows: 12 });
    play(outer, steps);
    await outer.shows('code 0');
    expect(outer.history).toContain('The recording is 80x20, and this terminal only 60x12');
  });

  test('plays without keys where the input is no terminal', async () => {
    const outer = openOuter();
    outer.command(used.service.home, ['play', steps], { prefix: '</dev/null' });
    await outer.shows('step 4\nend\n\ncode 0');
  });
});

describe('play without a terminal', () => {
  const run = (...args: string[]) => command(used.service.home, ['play', ...args]);

  test('writes all output at once, without queries and without what was typed', async () => {
    const script = 'read -r go; printf "password: "; read -r secret; printf "\\033[31mgot\\033[6n it"';
    const id = await recorded(script, ['password: ', 'got it'], 'hunter2\r');
    const { code, stdout, stderr } = await run('--speed', SLOW, id);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe('password: \x1b[31mgot it');
  });

  test('says which recording it cannot play', async () => {
    expect((await run('nonsense')).code).toBe(3);
    const terminal = await createIn(used.service.home, ['cat']);
    const id = await terminal.record();
    const goesOn = { code: 5, stdout: '', stderr: expect.stringContaining(`record stop ${id}`) };
    expect(await run(id)).toMatchObject(goesOn);
    expect(await command(used.service.home, ['export', id])).toMatchObject(goesOn);
    expect((await run('--speed', '0', id)).code).toBe(2);
    expect((await run('--idle-limit', 'x', id)).code).toBe(2);
    await terminal.close();
  });
});
