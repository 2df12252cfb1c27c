import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_PENDING_INPUT_BYTES } from '#dist/contract/limits.js';
import { eventually, processInfo } from '../support/processes.js';
import { isAlive, Rig } from './pty-host-rig.js';

const MiB = 1024 * 1024;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

describe('input', () => {
  test('of 1 MiB reaches a program identical, in one frame or in thousands', async () => {
    const file = join(rig.folder, 'paste');
    const { sink, handle } = await rig.run('stty raw -echo; printf ready; exec cat > paste');
    await sink.until('ready', () => sink.text === 'ready');
    const bytes = randomBytes(MiB);
    rig.host.input(handle, bytes.subarray(0, MiB / 2));
    for (let at = MiB / 2; at < MiB; at += 37) {
      rig.host.input(handle, bytes.subarray(at, Math.min(MiB, at + 37)));
    }
    await sink.until('all taken', () => sink.inputTaken === MiB);
    await eventually('all written', () => statSync(file).size === MiB);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  test('of a keystroke is echoed', async () => {
    const { sink, handle } = await rig.run('exec cat');
    rig.host.input(handle, Buffer.from('hi\r'));
    await sink.until('echo and line', () => sink.text === 'hi\r\nhi\r\n');
    expect(sink.inputTaken).toBe(3);
  });

  test('to a program that never reads costs the host next to nothing, and kill works at once', async () => {
    const { sink, handle, pid } = await rig.run('stty raw -echo; printf ready; exec sleep 100');
    await sink.until('ready', () => sink.text === 'ready');
    rig.host.input(handle, Buffer.alloc(MiB, 'x'));
    await sink.until('the kernel is full', () => sink.inputTaken > 0);
    const cpu = () => processInfo(rig.host.hostPid)!.cpuSeconds;
    const before = { cpu: cpu(), at: performance.now() };
    await eventually('two seconds', () => performance.now() - before.at > 2000);
    expect((cpu() - before.cpu) / ((performance.now() - before.at) / 1000)).toBeLessThan(0.05);

    const killed = performance.now();
    await rig.host.kill(handle);
    await eventually('the program has gone', () => !isAlive(pid));
    expect(performance.now() - killed).toBeLessThan(1000);
    await sink.until('told', () => sink.gone);
  });

  test('far beyond the bound is ignored, not kept', async () => {
    const { sink, handle } = await rig.run('stty raw -echo; printf ready; exec sleep 100');
    await sink.until('ready', () => sink.text === 'ready');
    const bytes = Buffer.alloc(MAX_PENDING_INPUT_BYTES, 'x');
    for (let count = 0; count < 6; count += 1) rig.host.input(handle, bytes);
    await rig.host.list();
    const log = readFileSync(join(rig.folder, 'host.log'), 'utf8');
    expect(log.match(/input of 1048576 bytes ignored/g)!.length).toBeGreaterThanOrEqual(4);
  });

  test('still pending when the program ends is dropped, and counts as taken', async () => {
    const { sink, handle, pid } = await rig.run('stty raw -echo; printf ready; exec sleep 100');
    await sink.until('ready', () => sink.text === 'ready');
    rig.host.input(handle, Buffer.alloc(MiB, 'x'));
    await sink.until('the kernel is full', () => sink.inputTaken > 0);
    process.kill(pid, 'SIGKILL');
    await sink.end();
    expect(sink.inputTaken).toBe(MiB);
    rig.host.input(handle, Buffer.from('late'));
    await sink.until('late input counts', () => sink.inputTaken === MiB + 4);
    // Descriptors that come after it get nothing of it.
    const next = await rig.run('stty raw -echo; printf fresh; head -c 1; printf " end"');
    await next.sink.until('fresh', () => next.sink.text === 'fresh');
    rig.host.input(next.handle, Buffer.from('y'));
    await next.sink.end();
    expect(next.sink.text).toBe('freshy end');
  });
});
