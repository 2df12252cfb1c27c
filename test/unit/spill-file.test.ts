import {
  fstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Kept } from '../../src/workers/kept.js';
import { SPILL_FROM_BYTES, SpillFile } from '../../src/workers/spill-file.js';
import { limitProcess } from '../support/limit-process.js';
import { Random } from '../support/random.js';

const BLOCK = 4096;

let folder: string;
let faults: string[];
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spill-'));
  faults = [];
  now = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function spillIn(place = folder): SpillFile {
  return new SpillFile({
    folder: place,
    onFault: ({ message }) => void faults.push(message),
    now: () => now,
  });
}

const NOISE = noise(new Random(7), 128 * 1024);

function noise(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}

function randomBytes(random: Random, length: number): Uint8Array {
  const at = random.below(NOISE.length - length);
  return NOISE.slice(at, at + length);
}

const filled = (length: number, value: number) => new Uint8Array(length).fill(value);

/** Returns the descriptors of this process that are open on deleted files of the folder. */
function descriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => linkOf(fd).startsWith(`${folder}/`));
}

function linkOf(fd: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // The descriptor that listed the folder is closed by now.
    return '';
  }
}

/** The size that the system reports for the file. */
const realSize = () => fstatSync(descriptors()[0]!).size;

describe('a spill file', () => {
  it('returns the stored bytes, whatever was put and freed meanwhile, and stays small', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed);
      const spill = spillIn();
      const kept = new Map<Kept, Uint8Array>();
      let most = 0;
      for (let step = 0; step < 400; step++) {
        const some = [...kept.keys()];
        if (random.below(5) < 3 || some.length === 0) {
          const bytes = randomBytes(random, random.of([random.below(BLOCK), random.below(60_000)]));
          kept.set(spill.put(bytes.slice()), bytes);
        } else {
          const gone = random.of(some);
          gone.free();
          kept.delete(gone);
        }
        const read = step % 20 === 0 ? [...kept] : [...kept].slice(-1);
        for (const [each, bytes] of read)
          expect(Buffer.compare(each.read(), bytes), `seed ${seed}, step ${step}`).toBe(0);
        const blocks = [...kept.keys()].map(({ length }) => (length < BLOCK ? 0 : Math.ceil(length / BLOCK)));
        const used = blocks.reduce((sum, count) => sum + count * BLOCK, 0);
        most = Math.max(most, used);
        expect(spill.size).toBeGreaterThanOrEqual(used);
        // Some room between places of different sizes is free.
        expect(spill.size).toBeLessThanOrEqual(most * 1.3 + 16 * BLOCK);
        if (step % 20 > 0) continue;
        // The last place of the file need not fill its last block; the files of earlier seeds are empty.
        const real = Math.max(0, ...realSizes());
        expect(Math.ceil(real / BLOCK) * BLOCK).toBe(spill.size);
      }
      for (const each of kept.keys()) each.free();
      expect(spill.size).toBe(0);
    }
    expect(realSizes().every((size) => size === 0)).toBe(true);
    expect(faults).toEqual([]);
  });

  it('has, for places of one size, no more than the most in use', () => {
    const random = new Random(1);
    const spill = spillIn();
    const kept: Kept[] = [];
    let most = 0;
    for (let step = 0; step < 2_000; step++) {
      if (kept.length < 40 && random.below(2) === 0) kept.push(spill.put(filled(2 * BLOCK - 7, step)));
      else kept.splice(random.below(kept.length), 1)[0]?.free();
      most = Math.max(most, kept.length);
      expect(spill.size).toBeLessThanOrEqual(most * 2 * BLOCK);
    }
  });

  it('opens its file when it is first needed, for its owner alone, and leaves none in the folder', () => {
    const spill = spillIn();
    spill.put(filled(SPILL_FROM_BYTES - 1, 1));
    expect(descriptors()).toEqual([]);
    const kept = spill.put(filled(SPILL_FROM_BYTES, 2));
    expect(kept.residentBytes).toBe(0);
    expect(descriptors()).toHaveLength(1);
    const { mode, nlink, size } = fstatSync(descriptors()[0]!);
    expect({ mode: mode & 0o777, nlink, size }).toEqual({ mode: 0o600, nlink: 0, size: BLOCK });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps short bytes in memory, without the rest of their buffer', () => {
    const spill = spillIn();
    const large = new Uint8Array(100_000).fill(7);
    const kept = spill.put(large.subarray(10, 20));
    expect([kept.length, kept.residentBytes]).toEqual([10, 10]);
    expect(kept.read().buffer.byteLength).toBe(10);
    expect(spill.put(new Uint8Array(0)).read()).toHaveLength(0);
    expect(spill.put(Buffer.from('out of a pool')).read().buffer.byteLength).toBe(13);
  });

  it('is cut if nothing is in use behind, and is empty when all is freed', () => {
    const spill = spillIn();
    const [first, second, third] = [1, 2, 3].map((value) => spill.put(filled(3 * BLOCK, value)));
    second!.free();
    expect(realSize()).toBe(9 * BLOCK);
    third!.free();
    expect(realSize()).toBe(3 * BLOCK);
    first!.free();
    expect(realSize()).toBe(0);
    expect(spill.put(filled(BLOCK, 4)).read()[0]).toBe(4);
    expect(realSize()).toBe(BLOCK);
  });

  it('uses the smallest free place that is large enough, and joins those that touch', () => {
    const spill = spillIn();
    const places = [3, 1, 2, 1, 1, 1].map((blocks) => spill.put(filled(blocks * BLOCK, 1)));
    places[0]!.free();
    places[2]!.free();
    const two = spill.put(filled(2 * BLOCK, 2));
    expect(spill.size).toBe(9 * BLOCK);
    const three = spill.put(filled(3 * BLOCK, 3));
    expect(spill.size).toBe(9 * BLOCK);
    // The fifth, fourth and third place are now free: four blocks, one after the other.
    for (const gone of [places[4]!, places[3]!, two]) gone.free();
    const four = spill.put(filled(4 * BLOCK, 4));
    expect(spill.size).toBe(9 * BLOCK);
    expect([three, four].map((kept) => [...new Set(kept.read())])).toEqual([[3], [4]]);
  });

  it.each([100, 10_000])('reads nothing of %i bytes that are freed, and frees nothing twice', (length) => {
    const spill = spillIn();
    const gone = spill.put(filled(length, 1));
    gone.free();
    const other = spill.put(filled(length, 2));
    gone.free();
    expect(() => gone.read()).toThrow('freed');
    const third = spill.put(filled(length, 3));
    expect([other, third].map((kept) => kept.read()[length - 1])).toEqual([2, 3]);
  });
});

describe('a disk that refuses', () => {
  it.each([
    ['is not there', () => join(folder, 'missing')],
    ['is none', () => '/dev/null'],
    ['takes no file', () => '/proc'],
  ])('keeps all in memory if the folder %s, and reports it once', (_, place) => {
    const spill = spillIn(place());
    const kept = [1, 2, 3].map((value) => spill.put(filled(10_000, value)));
    expect(kept.map((each) => [each.residentBytes, each.read()[9_999]])).toEqual(
      [1, 2, 3].map((value) => [10_000, value]),
    );
    now += 1e9;
    spill.put(filled(10_000, 4));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/ENOENT|ENOTDIR|EACCES/);
  });

  it('keeps in memory bytes that it takes only in part, and is asked again after a while', () => {
    const spill = spillIn();
    const before = spill.put(filled(10 * BLOCK, 1));
    const [refused, rested] = withFilesUpTo(12 * BLOCK + 100, () => {
      const first = spill.put(filled(5 * BLOCK, 2));
      // Nothing is left of the part that was written.
      expect(realSize()).toBe(10 * BLOCK);
      return [first, spill.put(filled(BLOCK, 3))];
    });
    expect(faults).toEqual([expect.stringContaining('EFBIG')]);
    expect([refused, rested].map((kept) => [kept.residentBytes, kept.read()[0]])).toEqual([
      [5 * BLOCK, 2],
      [BLOCK, 3],
    ]);
    expect(spill.put(filled(BLOCK, 4)).residentBytes).toBe(BLOCK);
    now += 60_000;
    const after = spill.put(filled(5 * BLOCK, 5));
    expect([after.residentBytes, after.read()[0], before.read()[0]]).toEqual([0, 5, 1]);
    // The file has taken bytes since the last refusal, so the next refusal is a new one.
    withFilesUpTo(0, () => spill.put(filled(BLOCK, 6)));
    expect(faults).toHaveLength(2);
  });

  it('does not return bytes that come back changed, or not whole', () => {
    const spill = spillIn();
    const [first, second] = [1, 2].map((value) => spill.put(filled(2 * BLOCK, value)));
    const file = descriptors()[0]!;
    writeSync(file, Buffer.from([9]), 0, 1, 100);
    expect(() => first!.read()).toThrow('bytes other than those');
    truncateSync(`/proc/self/fd/${file}`, 4 * BLOCK - 1);
    expect(() => second!.read()).toThrow('the file is 1 bytes shorter');
    expect(statSync(`/proc/self/fd/${file}`).size).toBe(4 * BLOCK - 1);
  });
});

/** Returns the sizes of all open files of the folder, since files of earlier tests are also open. */
function realSizes(): number[] {
  return descriptors().map((fd) => fstatSync(fd).size);
}

/** Acts like a full disk: a write past `bytes` is short, and the next one fails. */
function withFilesUpTo<Result>(bytes: number, action: () => Result): Result {
  limitProcess(process.pid, `--fsize=${bytes}:unlimited`);
  try {
    return action();
  } finally {
    limitProcess(process.pid, '--fsize=unlimited:unlimited');
  }
}
