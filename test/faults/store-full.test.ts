import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { withFullStore } from '../support/full-store.js';

/** Writes until the store cannot grow, goes on for a while, and then makes room. */
const PROGRAM = `
  const things = store.collection('things', codec);
  const kept = [];
  const refused = [];
  for (let index = 0; index < 60; index += 1) {
    const id = 'k' + String(index).padStart(2, '0');
    await things.put(id, 'x'.repeat(40_000)).then(() => kept.push(id), () => refused.push(id));
  }
  const inMemory = [...things.all().keys()];
  await things.remove(kept.shift());
  await things.put('small', 'fits');
  await store.close();
  const again = await openStore(process.argv[1], logger);
  const onDisk = [...again.collection('things', codec).all().keys()];
  await again.close();
  console.log(JSON.stringify({ kept, refused, inMemory, onDisk }));
`;

let folder: string;
afterEach(() => rm(folder, { recursive: true }));

describe('a store that cannot grow any more', () => {
  it('refuses records that it cannot write, keeps the earlier ones, and goes on', async () => {
    folder = await mkdtemp(join(tmpdir(), 'at-full-'));
    const { kept, refused, inMemory, onDisk } = await withFullStore(folder, PROGRAM);
    expect(kept!.length).toBeGreaterThan(5);
    expect(refused!.length).toBeGreaterThan(5);
    expect(inMemory).toEqual([expect.any(String), ...kept!]);
    expect(onDisk).toEqual([...kept!, 'small']);
  });
});
