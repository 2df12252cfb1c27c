import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitProcess } from '../support/limit-process.js';
import { eventually } from '../support/processes.js';
import { Random } from '../support/random.js';
import { spilledBytes, spillFilesOf } from '../support/spill-files.js';
import { Collector, isAlive, Rig } from './pty-host-rig.js';

const BLOCK = 4096;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

/** Runs a terminal with a checkpoint of `length` bytes within its output, which ends with `tail`. */
async function withCheckpoint(seed: number, length: number) {
  const sink = new Collector();
  sink.lazy = true;
  const { handle } = await rig.run(`printf headtail; exec cat`, { sink });
  await sink.until('output', () => sink.position >= 8);
  const random = new Random(seed);
  const bytes = Uint8Array.from({ length }, () => random.below(256));
  rig.host.checkpoint(handle, { position: 4, cols: 80, rows: 24, bytes });
  return { handle, bytes };
}

/** Attaches a new reader; resolves with the reader and its checkpoint's bytes once the output after it has arrived. */
async function attached(handle: number) {
  const sink = new Collector();
  sink.lazy = true;
  sink.attach(rig.host, handle);
  await sink.until('the output after the checkpoint', () => sink.text.endsWith('tail'));
  return { sink, bytes: Buffer.from(sink.restored!.bytes) };
}

const hostPid = () => rig.host.hostPid;
const log = () => readFileSync(join(rig.folder, 'host.log'), 'utf8');

describe('a settled checkpoint', () => {
  it('is on disk, and a new reader gets it byte for byte, with the output after it', async () => {
    expect(spillFilesOf(hostPid())).toEqual([]);
    const lengths = [100, 5_000, 30_001, 300_000];
    const made = [];
    for (const [seed, length] of lengths.entries()) made.push(await withCheckpoint(seed, length));
    const blocks = (length: number) => (length < BLOCK ? 0 : Math.ceil(length / BLOCK));
    const all = lengths.reduce((sum, length) => sum + blocks(length), 0);
    await eventually('all but the short one are on disk', () => {
      return Math.ceil(spilledBytes(hostPid()) / BLOCK) === all;
    });
    // The spill file has no name, so that nothing is left of it when the host is killed.
    expect(readdirSync(rig.folder).filter((name) => name.startsWith('spill'))).toEqual([]);
    for (const { handle, bytes } of made) {
      for (let times = 2; times > 0; times--)
        expect(Buffer.compare((await attached(handle)).bytes, bytes)).toBe(0);
    }
    await Promise.all(made.map(({ handle }) => rig.host.kill(handle)));
    expect(spillFilesOf(hostPid()).map(({ size }) => size)).toEqual([0]);
  });

  it('stays in memory if the disk is full, which is logged once', async () => {
    limitProcess(hostPid(), '--fsize=8192:unlimited');
    const made = [];
    for (let seed = 0; seed < 5; seed++) made.push(await withCheckpoint(seed, 20_000));
    await eventually('it was tried', () => spillFilesOf(hostPid()).length === 1);
    for (const { handle, bytes } of made)
      expect(Buffer.compare((await attached(handle)).bytes, bytes)).toBe(0);
    expect(spilledBytes(hostPid())).toBe(0);
    limitProcess(hostPid(), '--fsize=unlimited:unlimited');
    expect(log().match(/checkpoints stay in memory: EFBIG/g)).toHaveLength(1);
  });

  it('is an empty one if the disk does not return it, and the terminal goes on', async () => {
    const { handle } = await withCheckpoint(1, 20_000);
    await eventually('it is on disk', () => spilledBytes(hostPid()) > 0);
    truncateSync(spillFilesOf(hostPid())[0]!.path, 10_000);
    const { sink, bytes } = await attached(handle);
    expect(bytes).toHaveLength(0);
    expect(sink.restored).toMatchObject({ position: 4, cols: 80, rows: 24 });
    await rig.host.type(handle, [{ data: 'and on' }]);
    await sink.until('what is typed', () => sink.text.endsWith('tailand on'));
    expect(log()).toContain('a checkpoint could not be read back');
    expect(isAlive(hostPid())).toBe(true);
  });
});
