import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_LOG_BYTES, MAX_UNCONFIRMED_BYTES, MAX_UNREAD_BYTES } from '#dist/contract/limits.js';
import { onTmux } from '../support/backend.js';
import { eventually } from '../support/processes.js';
import { Collector, isAlive, Rig } from './pty-host-rig.js';

/** Bytes that surely fit into a PTY that nothing reads. */
const AFTER_BYTES = 3_000;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

describe('the last output', () => {
  test('arrives whole before the exit, in 60 short runs', async () => {
    let seed = 1;
    for (let run = 0; run < 60; run += 1) {
      seed = (seed * 48_271) % 2_147_483_647;
      const length = 1 + (seed % 5000);
      const { sink } = await rig.run(`printf '%${length}s' end`);
      expect(await sink.end()).toMatchObject({ exitCode: 0, signal: null });
      expect(sink.text).toBe('end'.padStart(length));
    }
  });

  test('is kept while no reader takes it, long after the program has gone', async () => {
    const sink = new Collector();
    sink.holding = true;
    const flood = (length: number) => `head -c ${length} /dev/zero | tr '\\0' x`;
    const { pid, handle } = await rig.run(
      `${flood(MAX_UNCONFIRMED_BYTES)}; until [ -e go ]; do sleep 0.01; done; ${flood(AFTER_BYTES)}`,
      { sink },
    );
    // The program prints the rest only now: a host that stops reading halfway does not wake a writer blocked on a full
    // PTY.
    await eventually('the host has stopped reading', async () => {
      return (await rig.host.list())[0]!.position === MAX_UNCONFIRMED_BYTES;
    });
    writeFileSync(join(rig.folder, 'go'), '');
    await eventually('the program has ended', () => !isAlive(pid));
    // Bytes that a PTY has taken stay in it; tmux has passed its bytes on to the host.
    if (!onTmux) {
      const [terminal] = await rig.host.list();
      expect(terminal).toMatchObject({ handle, exit: null });
      expect(terminal!.position).toBe(MAX_UNCONFIRMED_BYTES);
      expect(sink.exit).toBeNull();
    }

    sink.release();
    expect(await sink.end()).toMatchObject({ exitCode: 0 });
    expect(sink.position).toBe(MAX_UNCONFIRMED_BYTES + AFTER_BYTES);
    expect(sink.text).toBe('x'.repeat(sink.position));
  });

  test('is read by the time of an answer to readAll, though the host could not read it before', async () => {
    for (let run = 0; run < 10; run++) {
      const [go, done] = ['go', 'done'].map((name) => join(rig.folder, `${name}-${run}`));
      const { handle, sink } = await rig.run(
        `until [ -e ${go} ]; do sleep 0.01; done; printf '%${AFTER_BYTES}s' x; : > ${done}; exec sleep 1000`,
      );
      process.kill(rig.host.hostPid, 'SIGSTOP');
      writeFileSync(go!, '');
      await eventually('the program has printed', () => existsSync(done!));
      const asked = rig.host.readAll(handle);
      process.kill(rig.host.hostPid, 'SIGCONT');
      const read = await asked;
      expect(read?.position).toBeGreaterThanOrEqual(AFTER_BYTES);
      expect(read?.isWhole).toBe(true);
      await eventually('the output is there', () => sink.text.endsWith(' x'));
      await rig.host.kill(handle);
    }
    expect(await rig.host.readAll(1_000_000)).toBeNull();
  });

  test('is read in a bounded time beside a flood of short writes', async () => {
    const { handle } = await rig.run('while :; do printf x; done');
    await eventually('the flood is there', async () => (await rig.host.list())[0]!.position > 10_000);
    for (let time = 0; time < 20; time++) {
      // The host reports that it is paused while this process has not confirmed its output.
      await eventually('all is read', async () => {
        const { position } = (await rig.host.list())[0]!;
        const read = await rig.host.readAll(handle);
        // The host's event loop also reads meanwhile.
        if (!onTmux) expect(read!.position - position).toBeLessThan(2 * MAX_UNREAD_BYTES);
        return read!.isWhole;
      });
    }
  });

  test('waits in the log for a reader that comes after the exit', async () => {
    const { handle } = await rig.spawn('/bin/sh', ['-c', 'printf late; exit 3']);
    await eventually('the exit is listed', async () => (await rig.host.list())[0]?.exit?.exitCode === 3);
    const sink = new Collector();
    sink.attach(await rig.connect(), handle);
    expect(await sink.end()).toMatchObject({ exitCode: 3 });
    expect(sink.text).toBe('late');
    rig.host.forget(handle);
    expect(await rig.host.list()).toEqual([]);
  });

  test('ends when the program does, whichever other process holds the terminal', async () => {
    // `sleep` outlasts this test; a shell that waits for `sleep` would print that it was hung up.
    const { sink } = await rig.run('trap "" HUP; sleep 10 & printf done');
    await sink.end();
    expect(sink.text).toBe('done');
  });

  test('ends beside a background process that floods the terminal', async () => {
    const { sink } = await rig.run('trap "" HUP; yes & sleep 0.2; printf "the end"');
    await sink.end();
    expect(sink.text).toContain('the end');
  });

  test.each([
    ['upper-case output', 'stty olcuc; printf done', 'DONE'],
    ['raw mode', 'stty raw -echo; printf done', 'done'],
  ])('shows no marker with %s', async (_, script, text) => {
    const { sink } = await rig.run(script);
    await sink.end();
    expect(sink.text).toBe(text);
  });

  test('of a program under Ctrl+S ends too', async () => {
    const { sink, pid, handle } = await rig.run('printf ready; read line; printf more; exec sleep 100');
    await sink.until('ready', () => sink.text === 'ready');
    await rig.host.type(handle, [{ data: '\x13' }]);
    // The answer follows the input, so the terminal has the input by then.
    await rig.host.list();
    process.kill(pid, 'SIGKILL');
    expect(await sink.end()).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(sink.text).toMatch(/^ready(\^S)?$/);
  });
});

describe('a terminal without a reader', () => {
  test('blocks its program at the bound of the log and loses nothing', async () => {
    const length = 3 * MAX_LOG_BYTES;
    const file = join(rig.folder, 'sequence');
    writeFileSync(file, sequence(length));
    const { handle, pid } = await rig.spawn('/bin/cat', [file]);
    const position = async () => (await rig.host.list())[0]!.position;
    await eventually('the log is full', async () => (await position()) >= MAX_LOG_BYTES);
    expect(await position()).toBeLessThan(MAX_LOG_BYTES + 65_536);
    expect(isAlive(pid)).toBe(true);
    const sink = new Collector();
    sink.attach(await rig.connect(), handle);
    await sink.end();
    expect(sink.text).toBe(sequence(length).replaceAll('\n', '\r\n'));
    rmSync(file);
  });

  test('is asked for a checkpoint before the bound, also by a new reader of its log', async () => {
    const length = 5 * MAX_LOG_BYTES;
    const { handle } = await rig.spawn('/bin/sh', ['-c', `head -c ${length} /dev/zero | tr '\\0' x`]);
    await eventually('the log is full', async () => (await rig.host.list())[0]!.position >= MAX_LOG_BYTES);
    const sink = new Collector();
    sink.lazy = true;
    sink.attach(await rig.connect(), handle);
    await sink.end();
    expect(sink.position).toBe(length);
    expect(sink.asked).toBeGreaterThan(2);
  });
});

function sequence(length: number): string {
  const lines: string[] = [];
  for (let size = 0; size < length; size += 10) lines.push(`${lines.length}`.padStart(9, '0'));
  return `${lines.join('\n')}\n`;
}
