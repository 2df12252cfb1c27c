import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { withFullStore } from '../support/full-store.js';

/** Writes pairs until the store cannot grow, goes on for a while, and then makes room. */
const PROGRAM = `
  const shelf = store.shelf('things', codec);
  const put = (...ids) => new Map(ids.map((id) => [id, 'x'.repeat(20_000)]));
  const kept = [];
  const refused = [];
  for (let index = 0; index < 60; index += 1) {
    const pair = ['a', 'b'].map((half) => String(index).padStart(2, '0') + half);
    const written = shelf.write({ clear: [], remove: [], put: put(...pair) });
    await written.then(() => kept.push(...pair), () => refused.push(...pair));
  }
  const before = shelf.ids('');
  await shelf.write({ clear: ['0'], remove: [], put: put('small') });
  await store.close();
  const again = await openStore(process.argv[1], logger);
  const after = again.shelf('things', codec).ids('');
  await again.close();
  console.log(JSON.stringify({ kept, refused, before, after }));
`;

let folder: string;
afterEach(() => rm(folder, { recursive: true }));

describe('a shelf that cannot grow any more', () => {
  it('refuses records that it cannot write in full, keeps the earlier ones, and goes on', async () => {
    folder = await mkdtemp(join(tmpdir(), 'at-shelf-full-'));
    const { kept, refused, before, after } = await withFullStore(folder, PROGRAM);
    expect(kept!.length).toBeGreaterThan(5);
    expect(refused!.length).toBeGreaterThan(5);
    expect(before).toEqual(kept);
    expect(after).toEqual([...kept!.filter((id) => !id.startsWith('0')), 'small']);
  });
});
