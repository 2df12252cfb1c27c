import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, processInfo } from '../support/processes.js';
import { Rig } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

type Run = Awaited<ReturnType<typeof run>>;

const ECHO = 'printf up; while read -r x; do echo "got $x"; [ "$x" != end ] || exit 4; done';

/** Starts a program in tmux, and finds its pane. */
async function run(script: string) {
  const terminal = await rig.run(script, { tmux: true });
  await terminal.sink.until('up', () => terminal.sink.text.startsWith('up'));
  const format = '#{pane_pid} #{session_name} #{pane_id} #{window_id}';
  const panes = rig.tmux.run('list-panes', '-a', '-F', format).split('\n');
  const leader = processInfo(terminal.pid)?.session;
  const [, session = '', pane = '', window = ''] =
    panes
      .map((line) => line.split(' '))
      .find(([pid, name]) => Number(pid) === leader && !name?.startsWith('auto-terminal')) ?? [];
  return { ...terminal, session, pane, window };
}

const hub = () => rig.tmux.sessions.find((name) => name.startsWith('auto-terminal-host'))!;

const windowsOfHub = () => rig.tmux.run('list-windows', '-t', `=${hub()}:`, '-F', '#{window_id}').split('\n');

/** Makes a session of a person, with a window of its own. */
function theirs(): void {
  rig.tmux.run('new-session', '-d', '-s', 'theirs', 'exec sleep 1000');
}

/** Checks that the terminal takes input and passes on output, and its end. */
async function goesOn({ handle, sink }: Run): Promise<void> {
  await rig.host.type(handle, [{ data: 'this\n' }]);
  await sink.until('its output', () => sink.text.includes('got this'));
  await rig.host.type(handle, [{ data: 'end\n' }]);
  expect(await sink.end()).toMatchObject({ exitCode: 4 });
  expect(sink.text).toBe('upthis\r\ngot this\r\nend\r\ngot end\r\n');
}

describe('a terminal goes on when a person', () => {
  test('breaks its pane out of a window that they have split', async () => {
    const one = await run(ECHO);
    rig.tmux.run('split-window', '-d', '-t', one.pane, 'exec sleep 1000');
    rig.tmux.run('break-pane', '-d', '-s', one.pane);
    await goesOn(one);
  });

  test('joins its pane to a window of theirs: the window is theirs again at its end', async () => {
    const one = await run(ECHO);
    theirs();
    rig.tmux.run('join-pane', '-d', '-s', one.pane, '-t', '=theirs:');
    await one.sink.until('its new size', () => one.sink.events.some(({ what }) => what !== 'restore 80x24'));
    await goesOn(one);
    await eventually('the hub has its own window', () => windowsOfHub().length === 1);
    expect(rig.tmux.sessions).toContain('theirs');
  });

  test('swaps its pane with one of theirs', async () => {
    const one = await run(ECHO);
    theirs();
    rig.tmux.run('swap-pane', '-d', '-s', one.pane, '-t', '=theirs:');
    await goesOn(one);
  });

  test('moves its window to a session of theirs', async () => {
    const one = await run(ECHO);
    theirs();
    rig.tmux.run('move-window', '-d', '-s', `=${one.session}:`, '-t', '=theirs:7');
    await goesOn(one);
  });

  test('takes its window out of the hub', async () => {
    const one = await run(ECHO);
    rig.tmux.run('unlink-window', '-t', `=${hub()}:${one.window}`);
    await eventually('it is back', () => windowsOfHub().includes(one.window));
    await goesOn(one);
  });

  test('renames its session, looks at it in a second one, and closes that', async () => {
    const one = await run(ECHO);
    rig.tmux.run('rename-session', '-t', `=${one.session}`, 'my agent');
    rig.tmux.run('new-session', '-d', '-s', 'second', '-t', '=my agent');
    rig.tmux.run('kill-session', '-t', '=second');
    await goesOn(one);
  });
});

test('what a moved pane prints before the host hears of the move comes', async () => {
  const one = await run(ECHO);
  rig.tmux.run('split-window', '-d', '-t', one.pane, 'exec sleep 1000');
  process.kill(rig.host.hostPid, 'SIGSTOP');
  try {
    rig.tmux.run('break-pane', '-d', '-s', one.pane);
    rig.tmux.run('send-keys', '-t', one.pane, 'this', 'Enter');
    await eventually('tmux has it', () =>
      rig.tmux.run('capture-pane', '-p', '-t', one.pane).includes('got this'),
    );
  } finally {
    process.kill(rig.host.hostPid, 'SIGCONT');
  }
  // Without any further output of the program.
  await one.sink.until('its output', () => one.sink.text === 'upthis\r\ngot this\r\n');
  await rig.host.type(one.handle, [{ data: 'end\n' }]);
  expect(await one.sink.end()).toMatchObject({ exitCode: 4 });
  expect(one.sink.text).toBe('upthis\r\ngot this\r\nend\r\ngot end\r\n');
});

test('a pane that floods loses nothing while it is moved', async () => {
  const one = await run('printf up; read -r x; seq 1 200000; exit 4');
  rig.tmux.run('split-window', '-d', '-t', one.pane, 'exec sleep 1000');
  theirs();
  await rig.host.type(one.handle, [{ data: '\n' }]);
  await one.sink.until('the flood', () => one.sink.position > 100_000);
  rig.tmux.run('break-pane', '-d', '-s', one.pane);
  await one.sink.until('more of it', () => one.sink.position > 500_000);
  rig.tmux.run('join-pane', '-d', '-s', one.pane, '-t', '=theirs:');
  expect(await one.sink.end()).toMatchObject({ exitCode: 4 });
  const lines = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\r\n`);
  expect(one.sink.text === `up\r\n${lines.join('')}`).toBe(true);
});

test('a terminal in a window that a person has split gets the size that it is given, and no other is told', async () => {
  const one = await run('stty -echo; printf up; while read -r x; do stty size; done');
  rig.tmux.run('split-window', '-d', '-h', '-t', one.pane, 'exec sleep 1000');
  rig.tmux.run('split-window', '-d', '-v', '-t', one.pane, 'exec sleep 1000');
  await eventually('both are told', async () => {
    const [{ cols = 0, rows = 0 } = {}] = await rig.host.list();
    return cols < 80 && rows < 24;
  });
  for (const [cols, rows] of [
    [100, 30],
    [60, 50],
    [90, 20],
  ] as const) {
    rig.host.resize(one.handle, cols, rows);
    await one.sink.until('told', () => one.sink.events.at(-1)?.what === `resize ${cols}x${rows}`);
    // tmux passes one size each 250 ms on to the program.
    await eventually('it has the size', async () => {
      await rig.host.type(one.handle, [{ data: '\n' }]);
      await rig.host.readAll(one.handle);
      return one.sink.text.trimEnd().endsWith(`${rows} ${cols}`);
    });
    expect((await rig.host.list())[0]).toMatchObject({ cols, rows });
    expect(rig.tmux.run('display-message', '-p', '-t', one.pane, '#{pane_width}x#{pane_height}')).toBe(
      `${cols}x${rows}`,
    );
  }
});

test('a terminal whose pane a person keeps after its end exits all the same, when all in it is killed', async () => {
  const one = await run('printf up; exec sleep 1000');
  rig.tmux.run('set-option', '-p', '-t', one.pane, 'remain-on-exit', 'on');
  process.kill(processInfo(one.pid)!.session, 'SIGKILL');
  expect(await one.sink.end()).toMatchObject({ exitCode: null, signal: null });
});

test('nothing is typed into another program that a person starts in the pane', async () => {
  const one = await run('printf up; exec sleep 1000');
  rig.tmux.run('respawn-pane', '-k', '-t', one.pane, `printf other; exec cat >${rig.folder}/typed`);
  await one.sink.until('it runs', () => one.sink.text.endsWith('other'));
  await rig.host.type(one.handle, [{ data: 'rm -r *\n' }]).catch(() => {});
  expect(await one.sink.end()).toMatchObject({ exitCode: null, signal: null });
  await eventually('its window is closed', () => rig.tmux.sessions.length === 1);
  expect(readFileSync(join(rig.folder, 'typed'), 'utf8')).toBe('');
});

test('a terminal is started although a person has renamed the hub', async () => {
  await run(ECHO);
  rig.tmux.run('rename-session', '-t', `=${hub()}`, 'mine');
  await goesOn(await run(ECHO));
});

test('a terminal in a window of a session that a person then closes ends with it', async () => {
  const one = await run('trap "" HUP; printf up; while :; do sleep 1; done');
  theirs();
  rig.tmux.run('join-pane', '-d', '-s', one.pane, '-t', '=theirs:');
  await one.sink.until('its new size', () => one.sink.events.some(({ what }) => what !== 'restore 80x24'));
  rig.tmux.run('kill-session', '-t', '=theirs');
  expect(await one.sink.end()).toMatchObject({ exitCode: null, signal: null });
  await eventually('the hub has its own window', () => windowsOfHub().length === 1);
});
