import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { loadExecLibc } from '#dist/workers/pty-host/renewal/exec-libc.js';
import { eventually } from '../support/processes.js';
import { NumberedReader } from './numbered-reader.js';
import { Collector, isAlive, Rig } from './pty-host-rig.js';

const ENTRY = fileURLToPath(import.meta.resolve('#dist/workers/pty-host/main.js'));

/** Numbers of replacements and terminals; `AUTO_TERMINAL_RENEWALS=50` is the long form, with 200 terminals. */
const RENEWALS = Number(process.env.AUTO_TERMINAL_RENEWALS ?? 5);
const TERMINALS = RENEWALS >= 50 ? 200 : 24;
const FLOODS = TERMINALS / 8;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

/** Has the host replace its program with the same program, and reconnects. */
async function renew(): Promise<void> {
  const { hostPid } = rig.host;
  await rig.host.renew(process.execPath, [ENTRY]);
  await rig.reconnect();
  expect(rig.host.hostPid).toBe(hostPid);
}

function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Starts a program on a PTY of the host's own. */
const onPty = (script: string) => rig.run(script, { tmux: false });

test('the C library of this machine has what a renewal needs', () => {
  expect(loadExecLibc(process.platform, process.arch)).not.toHaveProperty('missing');
});

describe('a host that replaces its program', () => {
  test('loses no byte of floods, and no exit code of programs that end meanwhile', async () => {
    const { hostPid } = rig.host;
    const floods = await Promise.all(
      Array.from({ length: FLOODS }, async () => {
        const { handle } = await rig.spawn('/bin/sh', ['-c', 'exec seq 1 1000000000'], { tmux: false });
        return { handle, reader: new NumberedReader() };
      }),
    );
    const quiet = await Promise.all(
      Array.from({ length: TERMINALS - FLOODS }, async (_, index) => {
        const { handle } = await onPty('stty -echo; printf ready; read code; exit "$code"');
        return { handle, code: 1 + (index % 100) };
      }),
    );
    const ended: typeof quiet = [];
    let files = 0;
    for (let round = 0; round < RENEWALS; round += 1) {
      for (const { handle, reader } of floods) reader.attach(rig.host, handle);
      const marks = floods.map(({ reader }) => reader.last);
      await eventually('all floods go on', () => floods.every(({ reader }, at) => reader.last > marks[at]!));
      const ending = quiet.splice(0, Math.ceil(quiet.length / (RENEWALS - round)));
      for (const { handle, code } of ending) await rig.host.type(handle, [{ data: `${code}\r` }]);
      ended.push(...ending);
      await renew();
      const open = descriptors(hostPid);
      files ||= open + 2 * ended.length;
      expect(open).toBeLessThanOrEqual(files);
    }
    for (const { handle, code } of ended) {
      const sink = new Collector();
      sink.attach(rig.host, handle);
      expect(await sink.end()).toMatchObject({ exitCode: code, signal: null });
    }
    for (const { handle, reader } of floods) reader.attach(rig.host, handle);
    const marks = floods.map(({ reader }) => reader.last);
    await eventually('all floods go on', () => floods.every(({ reader }, at) => reader.last > marks[at]!));
    expect(floods.map(({ reader }) => reader.fault)).toEqual(floods.map(() => null));
    const listed = await rig.host.list();
    expect(listed).toHaveLength(TERMINALS);
    // Both descriptors of each ended terminal are closed.
    expect(descriptors(hostPid)).toBeLessThanOrEqual(files - 2 * ended.length);
  }, 600_000);

  test('types what was waiting, whole and in order, once', async () => {
    const go = join(rig.folder, 'go');
    const { handle, sink } = await onPty(
      `stty raw -echo; printf ready; until [ -e '${go}' ]; do sleep 0.02; done; head -c 200006 | md5sum`,
    );
    await sink.until('raw', () => sink.text === 'ready');
    const text = Array.from({ length: 20_000 }, (_, at) => String(at).padStart(9, '0')).join(' ');
    await rig.host.type(handle, [{ data: text }, { data: 'x', delayMs: 20 }, { data: '123456' }], 'once');
    await renew();
    // A client that got no answer retries the same operation in this way.
    expect(await rig.host.type(handle, [{ data: text }], 'once')).toBe(true);
    writeFileSync(go, '');
    const next = new Collector();
    next.attach(rig.host, handle);
    await next.end();
    expect(next.text).toContain(createHash('md5').update(`${text}x123456`).digest('hex'));
  });

  test('finds the end of a program whose last output nobody has read yet', async () => {
    const { handle, pid } = await rig.spawn('/bin/sh', ['-c', 'seq 1 160000; exit 7'], { tmux: false });
    await eventually('the program has ended, or fills the log', async () => {
      const [listed] = await rig.host.list();
      return !isAlive(pid) || listed!.position >= 1024 * 1024;
    });
    const reader = new NumberedReader();
    for (let round = 0; round < 3; round += 1) {
      await renew();
      reader.attach(rig.host, handle);
      await eventually('some of it is read', () => reader.last > 0);
    }
    await eventually('it has ended', () => reader.exit !== null);
    expect(reader).toMatchObject({ last: 160_000, fault: null, exit: { exitCode: 7 } });
  });

  test('keeps size, meta, names and handles, and gives no handle twice', async () => {
    const first = await onPty('sleep 100');
    const second = await onPty('exit 3');
    await second.sink.end();
    rig.host.setMeta(first.handle, '{"name":"büro"}');
    rig.host.resize(first.handle, 133, 43);
    await eventually('the new size', async () => (await rig.host.list())[0]!.cols === 133);
    const before = await rig.host.list();
    await renew();
    expect(await rig.host.list()).toEqual(before);
    await rig.host.kill(second.handle);
    await renew();
    const third = await onPty('stty size');
    await third.sink.end();
    expect(third.handle).toBe(second.handle + 1);
    expect(third.sink.text.trim()).toBe('24 80');
    rig.host.resize(first.handle, 90, 20);
    await eventually('the next size', async () => (await rig.host.list())[0]!.cols === 90);
    await rig.host.kill(first.handle);
    await eventually('its program has gone', () => !isAlive(first.pid));
  });

  test('hands no descriptor to the programs that it starts afterwards', async () => {
    await onPty('sleep 100');
    await renew();
    const { sink } = await onPty('ls /proc/self/fd | tr "\\n" " "');
    await sink.end();
    // Descriptor 3 is the folder that ls reads.
    expect(sink.text.trim()).toBe('0 1 2 3');
  });

  test('removes its socket at its end', async () => {
    await renew();
    expect(existsSync(rig.socketPath)).toBe(true);
    await rig.host.shutdown();
    expect(existsSync(rig.socketPath)).toBe(false);
  });

  test.each([
    ['does not exist', ['/nowhere/main.js'], /cannot take over.*Cannot find module/s],
    ['ends at once', ['-e', 'process.exit(9)', '--'], /cannot take over \(exit code 9\)/],
  ])('stays as it is when the new program %s', async (_what, args, why) => {
    const { handle, sink } = await onPty('read x; exit "$x"');
    await expect(rig.host.renew(process.execPath, args)).rejects.toThrow(why);
    await rig.host.type(handle, [{ data: '5\r' }]);
    expect(await sink.end()).toMatchObject({ exitCode: 5 });
    expect(readFileSync(join(rig.folder, 'host.log'), 'utf8')).not.toContain('goes on as');
  });

  test('stays as it is when the new program cannot call the C library, and so would learn no exit code', async () => {
    const file = join(rig.folder, 'without-koffi.cjs');
    writeFileSync(
      file,
      `const Module = require('node:module');
       const load = Module._load;
       Module._load = (name, ...rest) => {
         if (name === 'koffi') throw new Error('koffi is away');
         return load(name, ...rest);
       };`,
    );
    const { handle, sink } = await onPty('read x; exit "$x"');
    await expect(rig.host.renew(process.execPath, ['--require', file, ENTRY])).rejects.toThrow(
      /cannot take over.*koffi is away/s,
    );
    await rig.host.type(handle, [{ data: '6\r' }]);
    expect(await sink.end()).toMatchObject({ exitCode: 6 });
  });

  test('stays as it is when the new program never ends, and begins nothing after the deadline', async () => {
    const impatient = await Rig.start({ callDeadlineMs: 2_000 });
    onTestFinished(() => impatient.end());
    const args = ['-e', 'setInterval(() => {}, 1000)', '--'];
    const renewing = impatient.host.renew(process.execPath, args);
    await expect(renewing).rejects.toThrow(/cannot take over \(SIGKILL\)/);
    expect(await impatient.host.list()).toEqual([]);
  });

  test('stays as it is with terminals in tmux', async () => {
    const { handle } = await rig.spawn('/bin/cat', [], { tmux: true });
    await expect(rig.host.renew(process.execPath, [ENTRY])).rejects.toThrow(/in tmux/);
    await rig.host.kill(handle);
  });
});
