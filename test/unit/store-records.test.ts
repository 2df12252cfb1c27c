import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { decodeRecord, encodeRecord } from '#dist/store/records.js';
import type { Codec } from '#dist/store/store.js';

const Named = z.object({ name: z.string(), tags: z.array(z.string()) });
const codec: Codec<z.infer<typeof Named>> = {
  version: 3,
  schema: Named,
  migrations: {
    1: (value) => ({ name: value }),
    2: (value) => ({ ...(value as object), tags: [] }),
  },
};
const stored = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('a record', () => {
  test('comes back as it was written, in JSON that any tool reads', () => {
    const value = { name: 'häß "quoted" \u{1F4BB}', tags: ['a', ''] };
    const bytes = encodeRecord(codec, value);
    expect(JSON.parse(bytes.toString())).toEqual({ v: 3, value });
    expect(decodeRecord(codec, bytes)).toEqual({ value });
  });

  test('of an older version goes through every migration from there on', () => {
    expect(decodeRecord(codec, stored({ v: 1, value: 'old' }))).toEqual({ value: { name: 'old', tags: [] } });
    expect(decodeRecord(codec, stored({ v: 2, value: { name: 'newer' } }))).toEqual({
      value: { name: 'newer', tags: [] },
    });
  });

  test('of a newer version is refused', () => {
    const record = stored({ v: 4, value: { name: 'x', tags: [] } });
    expect(decodeRecord(codec, record)).toEqual({
      fault: 'has version 4, but 3 is the newest known version',
    });
  });

  test('of the wrong shape names the place', () => {
    const decoded = decodeRecord(codec, stored({ v: 3, value: { name: 'x', tags: [1] } }));
    expect(decoded).toEqual({ fault: expect.stringContaining('tags[0]') });
  });

  test('without a migration from its version, or with one that throws, reports it', () => {
    const noWay: Codec<unknown> = { version: 2, schema: z.unknown() };
    expect(decodeRecord(noWay, stored({ v: 1, value: 1 }))).toEqual({
      fault: expect.stringContaining('no migration from version 1'),
    });
    const failing: Codec<unknown> = {
      ...noWay,
      migrations: { 1: () => JSON.parse('{') },
    };
    expect(decodeRecord(failing, stored({ v: 1, value: 1 }))).toEqual({
      fault: expect.stringContaining('from version 1 to 2'),
    });
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['half of one', encodeRecord(codec, { name: 'x', tags: [] }).subarray(0, 12)],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    [
      'a broken character inside a string',
      Buffer.concat([stored({ v: 3 }).subarray(0, 5), Buffer.from([0xc3])]),
    ],
    ['JSON without a version', stored({ value: { name: 'x', tags: [] } })],
    ['version 0', stored({ v: 0, value: {} })],
    ['a number', stored(3)],
  ])('of %s is refused', (_what, bytes) => {
    expect(decodeRecord(codec, bytes)).toEqual({ fault: 'is not a record' });
  });
});
