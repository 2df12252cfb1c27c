import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_LOG_BYTES } from '#dist/contract/limits.js';
import { eventually, processesRunning, processInfo } from '../support/processes.js';
import { Collector, isAlive, Rig } from './pty-host-rig.js';

const KOFFI = createRequire(import.meta.url).resolve('koffi');
const TCOON = 1;
/** A program that resumes its terminal's output again and again; argv: koffi. */
const GO_ON = `
  const tcflow = require(process.argv[1]).load(null).func('int tcflow(int fd, int action)');
  setInterval(() => tcflow(1, ${TCOON}), 1);
`;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

async function run(script: string, sink?: Collector) {
  const terminal = await rig.run(script, { tmux: true, ...(sink && { sink }) });
  const panes = rig.tmux.run('list-panes', '-a', '-F', '#{pane_pid} #{session_name} #{pane_id}').split('\n');
  const leader = processInfo(terminal.pid)?.session;
  const pane = panes
    .map((line) => line.split(' '))
    .find(([pid, session]) => Number(pid) === leader && session?.startsWith('term_'));
  return { ...terminal, session: pane?.[1] ?? '', pane: pane?.[2] ?? '' };
}

describe('beside terminals that flood', () => {
  test('others are started, and print all their output', async () => {
    for (let count = 0; count < 4; count += 1) await rig.run('exec yes', { tmux: true });
    for (let count = 0; count < 20; count += 1) {
      const { sink } = await rig.run(`seq 1 500; exit ${count}`, { tmux: true });
      expect(await sink.end()).toMatchObject({ exitCode: count });
      expect(sink.text.split('\r\n')).toHaveLength(501);
    }
  });
});

describe('a program in tmux', () => {
  test('that undoes each stop of its output is given up alone', async () => {
    const other = await run('printf up; read -r line; printf "got $line"');
    const sink = new Collector();
    sink.holding = true;
    const hog = await run(`yes & exec '${process.execPath}' -e "${GO_ON}" '${KOFFI}'`, sink);
    const ofHog = async () => (await rig.host.list()).find(({ handle }) => handle === hog.handle)!;
    await eventually('it is given up', async () => (await ofHog()).exit !== null);
    expect(await ofHog()).toMatchObject({ exit: { exitCode: null, signal: null } });
    expect((await ofHog()).position).toBeLessThan(MAX_LOG_BYTES + 20 * 1024 * 1024);
    await rig.host.type(other.handle, [{ data: 'on\n' }]);
    expect(await other.sink.end()).toMatchObject({ exitCode: 0 });
    await eventually('its window has gone', () => !rig.tmux.sessions.includes(hog.session));
  });

  test('that ends during typing leaves none of the text behind', async () => {
    for (let count = 0; count < 40; count += 1) {
      const { handle, pid } = await rig.run('printf up; exec sleep 100', { tmux: true });
      for (let part = 0; part < 5; part += 1)
        void rig.host.type(handle, [{ data: 'secret\n' }]).catch(() => {});
      if (count % 2) process.kill(pid, 'SIGKILL');
      await rig.host.kill(handle);
    }
    await eventually('no buffer', () => rig.tmux.run('list-buffers') === '');
  });
});

describe('a person who joins', () => {
  test('may swap the panes of two terminals: each goes on, and ends, by itself', async () => {
    const [one, two] = [
      await run('printf one; read -r x; exit 4'),
      await run('printf two; read -r x; exit 5'),
    ];
    for (const { sink } of [one, two]) await sink.until('up', () => sink.text !== '');
    rig.tmux.run('swap-pane', '-d', '-s', `=${one.session}:`, '-t', `=${two.session}:`);
    rig.host.resize(two.handle, 70, 20);
    await two.sink.until('resized', () => two.sink.events.some(({ what }) => what === 'resize 70x20'));
    await rig.host.type(one.handle, [{ data: '\n' }]);
    expect(await one.sink.end()).toMatchObject({ exitCode: 4 });
    await eventually('one window is left', () => rig.tmux.sessions.length === 2);
    await rig.host.type(two.handle, [{ data: '\n' }]);
    expect(await two.sink.end()).toMatchObject({ exitCode: 5 });
  });

  test('may move a pane to another window, and leave a window of ours in a session of theirs', async () => {
    const [one, two] = [
      await run('printf one; read -r x; exit 4'),
      await run('printf two; read -r x; exit 5'),
    ];
    for (const { sink } of [one, two]) await sink.until('up', () => sink.text !== '');
    rig.tmux.run('join-pane', '-d', '-s', one.pane, '-t', two.pane);
    rig.tmux.run('new-session', '-d', '-s', 'theirs', 'sleep 1000');
    rig.tmux.run('link-window', '-d', '-s', `=${two.session}:`, '-t', '=theirs:5');
    rig.tmux.run('unlink-window', '-t', '=theirs:5');
    for (const [terminal, exitCode] of [
      [one, 4],
      [two, 5],
    ] as const) {
      await rig.host.type(terminal.handle, [{ data: '\n' }]);
      expect(await terminal.sink.end()).toMatchObject({ exitCode });
    }
  });

  test('may set options for all: the next terminals are unaffected', async () => {
    const size = 'stty -echo; printf up; read -r x; stty size; exit 4';
    const first = await run(size);
    await first.sink.until('up', () => first.sink.text === 'up');
    for (const [name, value] of [
      ['base-index', '1'],
      ['remain-on-exit', 'on'],
      ['destroy-unattached', 'on'],
      ['pane-border-status', 'top'],
    ] as const)
      rig.tmux.run('set-option', '-g', name, value);
    const { sink, pid } = await run('printf up; exec sleep 100');
    await sink.until('up', () => sink.text === 'up');
    process.kill(processInfo(pid)!.session, 'SIGKILL');
    expect(await sink.end()).toMatchObject({ exitCode: null, signal: null });
    const next = await run(size);
    await next.sink.until('up', () => next.sink.text === 'up');
    for (const terminal of [first, next]) {
      await rig.host.type(terminal.handle, [{ data: '\n' }]);
      expect(await terminal.sink.end()).toMatchObject({ exitCode: 4 });
      expect(terminal.sink.text).toBe('up24 80\r\n');
    }
  });
});

describe('a host that ends', () => {
  test('during starts leaves no program of them', async () => {
    const mark = String(3_000_000 + (process.pid % 1_000_000));
    const starts = Array.from({ length: 30 }, () =>
      rig.run(`trap "" HUP; exec sleep ${mark}`, { tmux: true }).catch(() => null),
    );
    await starts[0];
    process.kill(rig.host.hostPid, 'SIGTERM');
    await eventually('the host has gone', () => !isAlive(rig.host.hostPid));
    await Promise.all(starts);
    await eventually('and its programs', () => processesRunning(`sleep ${mark}`).length === 0);
  });

  test('while tmux hangs during starts leaves no program of them', async () => {
    const mark = String(4_000_000 + (process.pid % 1_000_000));
    await rig.run('exec sleep 1000', { tmux: true });
    const { serverPid } = rig.tmux;
    const starts = Array.from({ length: 16 }, () =>
      rig.run(`trap "" HUP; exec sleep ${mark}`, { tmux: true }).catch(() => null),
    );
    await eventually('the first program runs', () => processesRunning(`sleep ${mark}`).length > 0);
    // The host has received no answers about the programs that tmux has started since.
    process.kill(serverPid, 'SIGSTOP');
    process.kill(rig.host.hostPid, 'SIGTERM');
    await eventually('the host has gone', () => !isAlive(rig.host.hostPid));
    await Promise.all(starts);
    expect(processesRunning(`sleep ${mark}`)).toEqual([]);
  });
});
