import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { openAccess } from '#dist/app/access.js';
import { TokenBody } from '#dist/contract/access.js';
import { openStore } from '#dist/store/lmdb-store.js';
import { ACTING, type Codec } from '#dist/store/store.js';

const TEXT: Codec<string> = { version: 1, schema: z.string() };

let root: string;
let folder: string;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'at-store-'));
  folder = join(root, 'store');
  lines = [];
});
afterEach(() => rm(root, { recursive: true }));

const logger = {
  warn: (fields: object) => lines.push({ ...fields }),
  error: (fields: object) => lines.push({ ...fields }),
};

async function open() {
  const store = await openStore(folder, logger as never);
  return { store, tokens: openAccess(store, logger as unknown as Logger).tokens };
}

const bodyOf = (name: string) => TokenBody.parse({ name, verbs: ['admin'] });

/** Makes a token that is deleted after the copy, one that is rotated, and one that stays. Returns their texts. */
async function changedSinceTheCopy() {
  const first = await open();
  const [deleted, rotated, kept] = [
    await first.tokens.create(bodyOf('deleted')),
    await first.tokens.create(bodyOf('rotated')),
    await first.tokens.create(bodyOf('kept')),
  ];
  await first.store.collection('things', TEXT).put('a', 'thing');
  await first.store.close();
  await cp(`${folder}.copy`, join(root, 'copy'), { recursive: true });
  const second = await open();
  await second.tokens.delete(deleted.holder.id);
  const { text } = await second.tokens.rotate(rotated.holder.id, { overlapMs: 0 });
  await second.store.close();
  // As after a crash: the copy is of the clean stop before.
  await rm(`${folder}.copy`, { recursive: true });
  await cp(join(root, 'copy'), `${folder}.copy`, { recursive: true });
  return { ended: [deleted.text, rotated.text], valid: [text, kept.text] };
}

const file = () => join(folder, 'data.mdb');

test.each([
  ['whose head is garbage', async () => writeFile(file(), (await readFile(file())).fill(0xff, 0, 8_192))],
  ['that is empty', () => truncate(file(), 0)],
])('a store %s gets no token back from its copy, and says how many it has lost', async (_what, damage) => {
  const { ended, valid } = await changedSinceTheCopy();
  await damage();
  const { store, tokens } = await open();
  expect([...ended, ...valid].map((text) => tokens.find(text))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(store.collection('things', TEXT).get('a')).toBe('thing');
  expect(lines).toMatchObject([{ fault: expect.any(String) }, { leftOut: { tokens: 3 } }]);
  await store.close();
});

test('a store that is damaged elsewhere keeps the tokens that can be read of itself', async () => {
  const { ended, valid } = await changedSinceTheCopy();
  const bytes = await readFile(file());
  // The page of the records of `things`.
  for (let at = 8_192; at < bytes.length; at += 4_096)
    if (bytes.subarray(at, at + 4_096).includes('thing"')) bytes.fill(0x5a, at, at + 4_096);
  await writeFile(file(), bytes);
  const { store, tokens } = await open();
  expect(ended.map((text) => tokens.find(text))).toEqual([undefined, undefined]);
  expect(valid.map((text) => tokens.find(text)?.name)).toEqual(['rotated', 'kept']);
  expect(store.collection('things', TEXT).get('a')).toBe('thing');
  expect(lines).toMatchObject([{ fromCopy: 1 }]);
  await store.close();
});

test('nor does a store get back what would send or type by itself', async () => {
  const first = await openStore(folder, logger as never);
  for (const name of Object.values(ACTING)) await first.collection(name, TEXT).put('a', 'one');
  await first.close();
  await truncate(file(), 0);
  const second = await openStore(folder, logger as never);
  for (const name of Object.values(ACTING)) expect(second.collection(name, TEXT).all().size).toBe(0);
  expect(lines[1]).toEqual({ leftOut: { tokens: 1, webhooks: 1, watches: 1, prompts: 1 } });
  await second.close();
});
