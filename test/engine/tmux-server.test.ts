import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { childrenOf, eventually, openFiles, processesOfSession, processInfo } from '../support/processes.js';
import { Collector, isAlive, Rig, startIn, TMUX_HOME } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

function run(script: string, size: { cols?: number; rows?: number } = {}) {
  return rig.run(script, { tmux: true, ...size });
}

/** Pid of the process that leads a program's session. */
function sessionOf(pid: number): number {
  const session = processInfo(pid)?.session;
  if (session === undefined) throw new Error(`there is no process ${pid}`);
  return session;
}

function zombiesOf(pid: number): number {
  return childrenOf(pid).filter(({ state }) => state === 'Z').length;
}

describe('the tmux server', () => {
  test('when killed: its 20 terminals exit, nothing is left of one that ignores its hangup, others go on', async () => {
    const plain = await rig.run('printf up; read line; printf "%s" "$line"');
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        run(index % 2 ? 'printf up; exec sleep 1000' : 'trap "" HUP; printf up; while :; do sleep 1; done'),
      ),
    );
    for (const { sink } of runs) await sink.until('up', () => sink.text === 'up');
    const sessions = runs.map(({ pid }) => sessionOf(pid));
    process.kill(rig.tmux.serverPid, 'SIGKILL');
    for (const { sink } of runs) {
      expect(await sink.end()).toMatchObject({ exitCode: null, signal: null });
      expect(sink.text).toBe('up');
    }
    await eventually('nothing is left', () =>
      sessions.every((leader) => processesOfSession(leader).length === 0),
    );

    await rig.host.type(plain.handle, [{ data: 'still here\n' }]);
    expect(await plain.sink.end()).toMatchObject({ exitCode: 0 });
    expect(plain.sink.text).toContain('still here');
    const next = await run('printf again; exit 3');
    expect(await next.sink.end()).toMatchObject({ exitCode: 3 });
    expect(next.sink.text).toBe('again');
    expect(zombiesOf(rig.host.hostPid)).toBe(0);
  });

  test('when ended from outside with all its sessions: the same', async () => {
    const { sink } = await run('printf up; exec sleep 1000');
    await sink.until('up', () => sink.text === 'up');
    rig.tmux.run('kill-server');
    expect(await sink.end()).toMatchObject({ exitCode: null, signal: null });
  });

  test('is isolated: no configuration, no status line, no variables of the host', async () => {
    const { sink } = await run('env; tput -T "$TERM" cols; stty size');
    await sink.end();
    expect(sink.text).toContain('TERM=xterm-256color\r\n');
    expect(sink.text).toMatch(/24 80\r\n$/);
    for (const name of ['TMUX', 'TMUX_PANE', 'TMUX_TMPDIR', 'LC_CTYPE', 'TERM_PROGRAM', 'HOME'])
      expect(sink.text).not.toContain(`${name}=`);
    expect(rig.tmux.run('show-options', '-gv', 'status')).toBe('off');
  });

  test('ends with the host, however that was ended', async () => {
    const { sink, pid } = await run('trap "" HUP; printf up; while :; do sleep 1; done');
    await sink.until('up', () => sink.text === 'up');
    const server = rig.tmux.serverPid;
    process.kill(rig.host.hostPid, 'SIGKILL');
    await eventually('the server has gone', () => !isAlive(server));
    // A killed host leaves such a program on a PTY, too.
    process.kill(pid, 'SIGKILL');
    await eventually('the program has gone', () => !isAlive(pid));
  });

  test("a program cannot read another terminal's clipboard text", async () => {
    // The cursor query is a fence: once it is answered, tmux has processed all earlier input.
    const copied = await run(
      String.raw`stty raw -echo; printf '\033]52;c;c2VjcmV0\007\033[6n'; head -c 6; sleep 1000`,
    );
    await copied.sink.until('the fence', () => /\x1b\[\d+;\d+R/.test(copied.sink.text));
    const asking = await run(
      String.raw`stty raw -echo min 0 time 20; printf '\033]52;c;?\007\033[6n'; cat | od -An -c; echo end`,
    );
    await asking.sink.until('the end', () => asking.sink.text.includes('end'));
    const answered = asking.sink.text.replace(/\s+/g, '');
    expect(answered).toMatch(/033\[\d+;\d+R/);
    expect(answered).not.toContain('c2VjcmV0');
    expect(rig.tmux.run('show-options', '-sv', 'set-clipboard')).toBe('off');
  });

  test('of a killed host is ended if it still runs, and another is started', async () => {
    const { sink } = await run('printf up; exec sleep 1000');
    await sink.until('up', () => sink.text === 'up');
    const old = rig.tmux.serverPid;
    process.kill(rig.host.hostPid, 'SIGKILL');
    await eventually('the host has gone', () => !isAlive(rig.host.hostPid));

    // Its server may still run, be about to end, or have ended.
    const { host } = await startIn(rig.folder);
    try {
      const made = await host.spawn({
        ...{
          id: 'term_next',
          file: '/bin/sh',
          args: ['-c', 'printf next'],
          env: {},
          cwd: '/',
          cols: 80,
          rows: 24,
        },
        ...{ meta: '', tmux: TMUX_HOME },
      });
      const next = new Collector();
      next.attach(host, made.handle);
      await next.end();
      expect(next.text).toBe('next');
      expect(isAlive(old)).toBe(false);
    } finally {
      await host.shutdown();
    }
  });

  test('that still ends when the next is started is waited for', async () => {
    const file = join(rig.folder, 'tmux-after-three');
    // A server that is about to end acts in this way: it accepts the client, and leaves it.
    const ends = 'echo "%exit server exited unexpectedly"; exit 1';
    const script = `#!/bin/sh\necho try >> ${file}.tries\n[ $(wc -l < ${file}.tries) -gt 3 ] || { ${ends}; }\n`;
    await writeFile(file, `${script}exec ${TMUX_HOME.file} "$@"\n`, { mode: 0o700 });
    const program = rig.program('/bin/sh', ['-c', 'printf up'], { tmux: true });
    const { handle } = await rig.host.spawn({ ...program, tmux: { ...TMUX_HOME, file } });
    const sink = new Collector();
    sink.attach(rig.host, handle);
    await sink.end();
    expect(sink.text).toBe('up');
  });

  test("that hangs costs a terminal its deadline, and the host's end no more", async () => {
    const { sink, handle } = await run('printf up; exec sleep 1000');
    await sink.until('up', () => sink.text === 'up');
    const server = rig.tmux.serverPid;
    process.kill(server, 'SIGSTOP');
    await expect(run('printf more')).rejects.toMatchObject({ code: 'outcome-unknown' });
    await expect(rig.host.capture(handle, false)).rejects.toMatchObject({ code: 'unavailable' });
    await rig.host.kill(handle);
    await rig.host.shutdown();
    await eventually('all have gone', () => !isAlive(server) && !isAlive(rig.host.hostPid));
  });

  test('keeps nothing of 50 closed terminals, and neither does the host', async () => {
    const first = await run('printf warm');
    await first.sink.end();
    rig.host.forget(first.handle);
    await rig.host.list();
    const files = openFiles(rig.host.hostPid);
    const server = rig.tmux.serverPid;
    const serverFiles = openFiles(server);
    for (let count = 0; count < 50; count += 1) {
      const { handle, sink } = await run(count % 2 ? 'printf x; exec sleep 100' : 'printf x');
      if (count % 2) await rig.host.kill(handle);
      else await sink.end();
      rig.host.forget(handle);
    }
    await eventually('as many files as before', () => openFiles(rig.host.hostPid) <= files);
    await eventually('in tmux, too', () => openFiles(server) <= serverFiles);
    await eventually('and one session', () => rig.tmux.sessions.length === 1);
    await eventually('no zombie', () => zombiesOf(server) === 0);
    expect(zombiesOf(rig.host.hostPid)).toBe(0);
  });

  test('starts 300 terminals requested at once: each once, or as it says', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'at-starts-'));
    try {
      const asked = await Promise.allSettled(
        Array.from({ length: 300 }, (_, index) =>
          run(`echo ran >> ${folder}/${index}; printf ${index}; exit ${index % 100}`),
        ),
      );
      for (const [index, start] of asked.entries()) {
        // On a slow machine the calls exceed their deadline: the rest are refused, and a few have an unknown outcome.
        if (start.status === 'rejected') {
          expect(['unavailable', 'outcome-unknown']).toContain(start.reason.code);
          continue;
        }
        const { sink } = start.value;
        expect(await sink.end()).toMatchObject({ exitCode: index % 100 });
        expect(sink.text).toBe(String(index));
      }
      await eventually('nothing is left of them', () => rig.tmux.sessions.length === 1);
      const ran = new Set(await readdir(folder));
      for (const [index, start] of asked.entries()) {
        const name = String(index);
        const lines = ran.has(name) ? await readFile(join(folder, name), 'utf8') : 'nothing';
        const isRefused = start.status === 'rejected' && start.reason.code === 'unavailable';
        // A start with an unknown outcome may have been ended at any moment.
        const may =
          start.status === 'fulfilled' ? ['ran\n'] : isRefused ? ['nothing'] : ['nothing', '', 'ran\n'];
        expect(may, `${name} was ${start.status}`).toContain(lines);
      }
      expect(ran.size).toBeGreaterThan(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
