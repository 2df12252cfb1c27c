import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, processesOfSession, processInfo } from '../support/processes.js';
import { Random } from '../support/random.js';
import { isAlive, Rig } from './pty-host-rig.js';

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.end());

async function run(script: string, size: { cols?: number; rows?: number } = {}) {
  const terminal = await rig.run(script, { tmux: true, ...size });
  const pane = rig.tmux
    .run('list-panes', '-a', '-F', '#{pane_pid} #{session_name} #{pane_id}')
    .split('\n')
    .map((line) => line.split(' '))
    .find(
      ([leader, name]) => name?.startsWith('term_') && Number(leader) === processInfo(terminal.pid)?.session,
    );
  return { ...terminal, session: pane?.[1] ?? '', pane: pane?.[2] ?? '' };
}

describe('a terminal in tmux', () => {
  test('whose session is killed from outside exits, and nothing of it is left', async () => {
    const { sink, pid, session } = await run('trap "" HUP; printf up; while :; do sleep 1; done');
    await sink.until('up', () => sink.text === 'up');
    const leader = processInfo(pid)!.session;
    rig.tmux.run('kill-session', '-t', `=${session}`);
    expect(await sink.end()).toMatchObject({ exitCode: null, signal: null });
    await eventually('nothing is left', () => processesOfSession(leader).length === 0);
    expect(rig.tmux.sessions).not.toContain(session);
  });

  test('whose pane is killed from outside exits', async () => {
    const { sink, pane } = await run('printf up; exec sleep 1000');
    await sink.until('up', () => sink.text === 'up');
    rig.tmux.run('kill-pane', '-t', pane);
    expect(await sink.end()).toMatchObject({ exitCode: null, signal: null });
  });

  test('whose wrapping shell is killed exits, with all that runs in it', async () => {
    const { sink, pid } = await run('printf up; exec sleep 1000');
    await sink.until('up', () => sink.text === 'up');
    process.kill(processInfo(pid)!.session, 'SIGKILL');
    expect(await sink.end()).toMatchObject({ exitCode: null, signal: null });
    await eventually('it has gone', () => !isAlive(pid));
  });

  test('gets its size from any client that resizes its window', async () => {
    const { handle, sink, session } = await run('printf up; exec sleep 1000');
    await sink.until('up', () => sink.text === 'up');
    rig.tmux.run('resize-window', '-t', `=${session}:`, '-x', '101', '-y', '31');
    await sink.until('told', () => sink.events.some(({ what }) => what === 'resize 101x31'));
    expect((await rig.host.list()).find((terminal) => terminal.handle === handle)).toMatchObject({
      cols: 101,
      rows: 31,
    });
    await rig.host.kill(handle);
  });

  test('goes on as it was when a person splits off a pane', async () => {
    const { handle, sink, session } = await run('printf up; read line; printf "got %s" "$line"');
    await sink.until('up', () => sink.text === 'up');
    rig.tmux.run('split-window', '-d', '-t', `=${session}:`, 'printf other; exec sleep 1000');
    await rig.host.type(handle, [{ data: 'this\n' }]);
    expect(await sink.end()).toMatchObject({ exitCode: 0 });
    expect(sink.text).toMatch(/^upthis\r\ngot this$/);
    await eventually('the window has gone', () => !rig.tmux.sessions.includes(session));
  });

  test('takes input while a person scrolls back in it', async () => {
    const { handle, sink, pane } = await run('stty -echo; printf up; read line; printf "got %s" "$line"');
    await sink.until('up', () => sink.text.startsWith('up'));
    rig.tmux.run('copy-mode', '-t', pane);
    await rig.host.type(handle, [{ data: 'q/this\n' }]);
    expect(await sink.end()).toMatchObject({ exitCode: 0 });
    expect(sink.text).toBe('upgot q/this');
  });

  test('has its queries answered once, by tmux', async () => {
    const { handle, sink } = await run(
      "stty raw -echo; printf '\\033[5n\\033[c'; dd bs=1 count=11 2>/dev/null | od -An -c; printf '\\033[>c'; sleep 0.2; printf 'rest '; dd bs=100 count=1 2>/dev/null | od -An -c",
    );
    await sink.until('asked', () => sink.text.includes('[c'));
    // The answer that our own screen would give.
    rig.host.input(handle, Buffer.from('\x1b[?62c'));
    await sink.end();
    expect(sink.text.replace(/\s+/g, ' ')).toContain('033 [ 0 n 033 [ ? 1 ; 2 c');
    expect(sink.text).not.toContain('6   2');
  });

  test('prints its output, to the byte, whatever that is', async () => {
    const random = new Random(7);
    const bytes = Buffer.from(Array.from({ length: 200_000 }, () => random.below(256)));
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${rig.folder}/bytes`, bytes);
    const { sink } = await run('stty raw; cat bytes');
    expect(await sink.end()).toMatchObject({ exitCode: 0 });
    expect(Buffer.concat(sink.chunks).equals(bytes)).toBe(true);
  });

  test('captures what tmux shows', async () => {
    const { handle, sink, pane } = await run(
      "printf 'a\\033[1;31mred\\033[0m\\r\\n'; seq 1 40; printf end; exec sleep 1000",
      { cols: 30, rows: 10 },
    );
    await sink.until('all', () => sink.text.endsWith('end'));
    await eventually(
      'tmux has it',
      async () => (await rig.host.capture(handle, false))?.rows.at(-1) === 'end',
    );
    const screen = await rig.host.capture(handle, false);
    expect(screen?.rows.join('\n')).toBe(rig.tmux.run('capture-pane', '-p', '-e', '-N', '-t', pane));
    expect(screen?.cursor).toEqual([9, 3]);
    const all = await rig.host.capture(handle, true);
    expect(all?.rows).toHaveLength(42);
    expect(all?.rows[0]).toContain('red');
    await rig.host.kill(handle);
    expect(await rig.host.capture(handle, true)).toBeNull();
  });

  test('captures any length of history', async () => {
    // More than the control client gets in one piece, and as much as a slow machine captures before tmux's deadline.
    const lines = 30_000;
    const script = `seq -f '%0120g' 1 ${lines}; printf END; exec sleep 1000`;
    const terminal = await rig.run(script, { tmux: true, cols: 130, historyLimit: lines });
    await terminal.sink.until('all', () => terminal.sink.position === lines * 122 + 'END'.length);
    await eventually('tmux has it', async () => {
      return (await rig.host.capture(terminal.handle, false))?.rows.at(-1)?.trimEnd() === 'END';
    });
    const all = await rig.host.capture(terminal.handle, true);
    expect(all?.rows).toHaveLength(lines + 1);
    expect(all?.rows.map(Number).slice(0, -1)).toEqual(
      Array.from({ length: lines }, (_, index) => index + 1),
    );
    await rig.host.kill(terminal.handle);
  });
});
