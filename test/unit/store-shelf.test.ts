import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openStore } from '#dist/store/lmdb-store.js';
import type { Shelf, Store } from '#dist/store/store.js';

const codec = { version: 1, schema: z.string() };
const nothing = { clear: [], remove: [], put: new Map<string, string>() };

let folder: string;
let store: Store;
let shelf: Shelf<string>;
let logged: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-shelf-'));
  logged = [];
  await open();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function open(): Promise<void> {
  const log = (_fields: unknown, message: string) => void logged.push(message);
  store = await openStore(join(folder, 'store'), { warn: log, error: log } as never);
  shelf = store.shelf('things', codec);
}

async function reopen(): Promise<void> {
  await store.close();
  await open();
}

describe('a shelf', () => {
  it('has no record of an id of any length', () => {
    for (const length of [500, 2_000, 5_000, 100_000]) expect(shelf.get('a'.repeat(length))).toBeUndefined();
  });

  it('has the written records, also after a restart', async () => {
    await shelf.write({
      ...nothing,
      put: new Map([
        ['b/1', 'one'],
        ['a/1', 'two'],
        ['b/2', 'three'],
      ]),
    });
    await shelf.write({ ...nothing, remove: ['b/1', 'never there'], put: new Map([['a/1', 'zwei']]) });
    for (const restart of [async () => {}, reopen]) {
      await restart();
      expect(shelf.ids('')).toEqual(['a/1', 'b/2']);
      expect(['a/1', 'b/1', 'b/2'].map((id) => shelf.get(id))).toEqual(['zwei', undefined, 'three']);
    }
  });

  it('commits a write that joins together with the next one, in the order of the calls', async () => {
    const seen: string[] = [];
    const write = async (value: string, joins: boolean) => {
      await shelf.write({ ...nothing, put: new Map([['id', value]]) }, { joins });
      seen.push(`${value}: ${shelf.get('id')}`);
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await Promise.all([write('first', true), write('second', true), write('last', false)]);
    } finally {
      vi.useRealTimers();
    }
    expect(seen.sort()).toEqual(['first: last', 'last: last', 'second: last']);
  });

  it.each([
    ['after a moment', async () => {}],
    ['at once when asked for', async () => shelf.hurry()],
    ['before the store closes', () => reopen()],
  ])('commits a write that joins none %s', async (_when, then) => {
    const written = shelf.write({ ...nothing, put: new Map([['id', 'value']]) }, { joins: true });
    expect(shelf.get('id')).toBeUndefined();
    await then();
    await written;
    expect(shelf.get('id')).toBe('value');
  });

  it('clears all ids with a prefix, and nothing else, before it puts', async () => {
    const ids = ['a/', 'a/1', 'a/2', 'a/\u{10ffff}', 'a', 'ab/1', 'b/1'];
    await shelf.write({ ...nothing, put: new Map(ids.map((id) => [id, id])) });
    expect(shelf.ids('a/')).toEqual(['a/', 'a/1', 'a/2', 'a/\u{10ffff}']);
    await shelf.write({ ...nothing, clear: ['a/'], put: new Map([['a/3', 'new']]) });
    expect(shelf.ids('')).toEqual(['a', 'a/3', 'ab/1', 'b/1']);
  });

  it('writes all of it or nothing', async () => {
    await shelf.write({ ...nothing, put: new Map([['kept', 'as it is']]) });
    const tooLong = 'x'.repeat(10_000);
    const put = new Map([
      ['kept', 'changed'],
      ['another', 'one'],
      [tooLong, ''],
    ]);
    await expect(shelf.write({ ...nothing, put })).rejects.toThrow('too long');
    expect([shelf.get('kept'), shelf.ids('')]).toEqual(['as it is', ['kept']]);
    await shelf.write({ ...nothing, put: new Map([['kept', 'changed']]) });
    await reopen();
    expect([shelf.get('kept'), shelf.ids('')]).toEqual(['changed', ['kept']]);
  });

  it('moves an unreadable record aside when it is asked for', async () => {
    await shelf.write({
      ...nothing,
      put: new Map([
        ['good', 'text'],
        ['bad', 'text'],
      ]),
    });
    await store.close();
    store = await openStore(join(folder, 'store'), { warn() {}, error() {} } as never);
    const numbers = store.shelf('things', { version: 1, schema: z.number() });
    await numbers.write({ ...nothing, put: new Map([['bad', 13]]) });
    await reopen();
    expect([shelf.get('good'), shelf.get('bad')]).toEqual(['text', undefined]);
    expect(logged).toEqual(['a stored record cannot be read; it was set aside']);
    await reopen();
    expect(shelf.ids('')).toEqual(['good']);
  });
});
