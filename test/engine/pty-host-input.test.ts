import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_PENDING_INPUT_BYTES } from '#dist/contract/limits.js';
import { onTmux } from '../support/backend.js';
import { eventually, processInfo } from '../support/processes.js';
import { Collector, isAlive, Rig } from './pty-host-rig.js';

const MiB = 1024 * 1024;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

const pendingInput = async () => (await rig.host.list())[0]?.pendingInput;

/** Runs a program that never reads, and types 1 MiB into its terminal. */
async function runFull() {
  const running = await rig.run('stty raw -echo; printf ready; exec sleep 100');
  await running.sink.until('ready', () => running.sink.text === 'ready');
  await rig.host.type(running.handle, [{ data: 'x'.repeat(MAX_PENDING_INPUT_BYTES) }]);
  // The kernel takes a few KiB of the input, which tmux receives piece by piece.
  const taken = onTmux ? 4096 : 1;
  const isFull = async () => (await pendingInput())! <= MAX_PENDING_INPUT_BYTES - taken;
  await eventually('the kernel is full', isFull);
  return running;
}

describe('input', () => {
  test('of 1 MiB reaches a program unchanged, in one request or in thousands', async () => {
    const file = join(rig.folder, 'paste');
    const { sink, handle } = await rig.run('stty raw -echo; printf ready; exec cat > paste');
    await sink.until('ready', () => sink.text === 'ready');
    const text = randomBytes(MiB / 2).toString('hex');
    const requests = [text.slice(0, MiB / 2)];
    for (let at = MiB / 2; at < MiB; at += 137) requests.push(text.slice(at, at + 137));
    await Promise.all(requests.map((data) => rig.host.type(handle, [{ data }])));
    await eventually('all written', () => statSync(file).size === MiB);
    expect(readFileSync(file, 'latin1')).toBe(text);
  });

  test('of a keystroke is echoed', async () => {
    const { sink, handle } = await rig.run('exec cat');
    await rig.host.type(handle, [{ data: 'hi\r' }]);
    await sink.until('echo and line', () => sink.text === 'hi\r\nhi\r\n');
  });

  test('in parts is finished though the service has gone', async () => {
    const { sink, handle } = await rig.run('stty raw -echo; printf ready; head -c 9; exec sleep 100');
    await sink.until('ready', () => sink.text === 'ready');
    await rig.host.type(handle, [{ data: 'paste' }, { data: ' end', delayMs: 300 }]);
    rig.host.close();
    const shard = await rig.connect();
    const next = new Collector();
    next.attach(shard, handle);
    await next.until('the rest', () => next.text === 'readypaste end');
  });

  test('behind a paste that the terminal takes in pieces is typed, too', async () => {
    const { sink, handle } = await rig.run(
      'stty raw -echo; printf ready; sleep 0.3; head -c 100003 | tail -c 5',
    );
    await sink.until('ready', () => sink.text === 'ready');
    await rig.host.type(handle, [{ data: 'x'.repeat(100_000) }, { data: 'end', delayMs: 20 }]);
    await sink.end();
    expect(sink.text).toBe('readyxxend');
  });

  test('to a program that never reads costs the host next to nothing, and is killed like any other', async () => {
    const { sink, handle, pid } = await runFull();
    const cpu = () => processInfo(rig.host.hostPid)!.cpuSeconds;
    const before = { cpu: cpu(), at: performance.now() };
    await eventually('two seconds', () => performance.now() - before.at > 2000);
    expect((cpu() - before.cpu) / ((performance.now() - before.at) / 1000)).toBeLessThan(0.05);

    await rig.host.kill(handle);
    await eventually('the program has gone', () => !isAlive(pid));
    await sink.until('told', () => sink.gone);
  });

  test('beyond the bound is refused whole, and replies of the screen are dropped then', async () => {
    const { handle } = await runFull();
    const before = (await pendingInput())!;
    await expect(rig.host.type(handle, [{ data: 'y'.repeat(100_000) }])).rejects.toMatchObject({
      code: 'input-buffer-full',
    });
    rig.host.input(handle, Buffer.alloc(100_000, 'r'));
    // A nearly full kernel buffer may take some KiB more of the pending input.
    const after = (await pendingInput())!;
    expect(after).toBeGreaterThan(before - 100_000);
    expect(after).toBeLessThanOrEqual(before);
  });

  test('still pending when the program ends is dropped', async () => {
    const { sink, handle, pid } = await runFull();
    process.kill(pid, 'SIGKILL');
    await sink.end();
    expect(await pendingInput()).toBe(0);
    await expect(rig.host.type(handle, [{ data: 'late' }])).rejects.toMatchObject({
      code: 'terminal-not-found',
    });
    rig.host.input(handle, Buffer.from('late'));
    // Descriptors that are opened later get none of the dropped input.
    const next = await rig.run('stty raw -echo; printf fresh; head -c 1; printf " end"');
    await next.sink.until('fresh', () => next.sink.text === 'fresh');
    await rig.host.type(next.handle, [{ data: 'y' }]);
    await next.sink.end();
    expect(next.sink.text).toBe('freshy end');
  });

  test('into many at once reaches each in order, and terminals that cannot take it are named', async () => {
    const echo = 'stty raw -echo; printf up; while c=$(head -c 3) && [ -n "$c" ]; do printf "<$c>"; done';
    const [one, two] = [await rig.run(echo), await rig.run(echo)];
    const full = await runFull();
    for (const { sink } of [one, two]) await sink.until('up', () => sink.text === 'up');
    const unknown = 4_000_000;
    const handles = [one.handle, unknown, two.handle];
    const first = rig.host.typeAll(handles, [{ data: 'a1' }, { data: '.', delayMs: 20 }]);
    const second = rig.host.type(two.handle, [{ data: 'b2.' }]);
    const { failures } = await first;
    expect([...failures].map(([index, { code }]) => [index, code])).toEqual([[1, 'terminal-not-found']]);
    await second;
    await one.sink.until('typed', () => one.sink.text === 'up<a1.>');
    await two.sink.until('typed, and what came later behind it', () => two.sink.text === 'up<a1.><b2.>');
    const tooMuch = await rig.host.typeAll([full.handle, one.handle], [{ data: 'y'.repeat(200_000) }]);
    expect([...tooMuch.failures.keys()]).toEqual([0]);
    expect(tooMuch.failures.get(0)).toMatchObject({ code: 'input-buffer-full' });
  });
});
