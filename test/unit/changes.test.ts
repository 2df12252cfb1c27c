import { expect, it } from 'vitest';
import { DomainError } from '../../src/contract/errors.js';
import { MAX_ANSWERS_BYTES } from '../../src/contract/limits.js';
import { changesOf, type Printer } from '../../src/workers/shard/changes.js';
import { truncateHead } from '../../src/workers/shard/truncate-head.js';

/** A terminal that has printed `printed`. */
function printer(id: string, printed: string): Printer {
  return {
    printedSince: async (_cursor, maxBytes) => {
      const { text: raw, truncated } = truncateHead(printed, maxBytes);
      return printed === '' ? undefined : { id, cursor: 'new', raw, gap: false, truncated };
    },
  };
}

function failing(error: Error): Printer {
  return { printedSince: () => Promise.reject(error) };
}

it('leaves out terminals that printed nothing or are gone, and names those with a foreign cursor', async () => {
  const printers = new Map([
    ['a', printer('a', 'one')],
    ['b', printer('b', '')],
    ['c', failing(new DomainError('invalid-cursor'))],
    ['d', failing(new DomainError('terminal-not-found'))],
    ['f', printer('f', 'two')],
  ]);
  const cursors = new Map([...'fedcba'].map((id) => [id, 'old']));
  const { changes, invalid } = await changesOf(printers, cursors, 2);
  expect(changes.map(({ id, raw, truncated }) => [id, raw, truncated])).toEqual([
    ['f', 'wo', true],
    ['a', 'ne', true],
  ]);
  expect(invalid).toEqual(['c']);
});

it('does not hide a fault', async () => {
  const printers = new Map([['a', failing(new Error('broken'))]]);
  await expect(changesOf(printers, new Map([['a', null]]), 10)).rejects.toThrow('broken');
});

it('answers with bounded text, and leaves the rest to the next call', async () => {
  const each = MAX_ANSWERS_BYTES / 128;
  const text = 'x'.repeat(each);
  const ids = Array.from({ length: 300 }, (_, index) => `t${index}`);
  const printers = new Map(ids.map((id) => [id, printer(id, text)]));
  const { changes } = await changesOf(printers, new Map(ids.map((id) => [id, 'old'])), 2 * each);
  expect(changes.map(({ id }) => id)).toEqual(ids);
  const size = changes.reduce((sum, { raw }) => sum + raw.length, 0);
  expect(size).toBeGreaterThanOrEqual(MAX_ANSWERS_BYTES);
  expect(size).toBeLessThan(1.5 * MAX_ANSWERS_BYTES);
  for (const { raw, cursor, truncated } of changes) {
    expect([raw.length, cursor, truncated]).toEqual(raw === '' ? [0, 'old', true] : [each, 'new', false]);
  }
});

it('leaves out a terminal without a cursor if it lacks room, so that the next call returns all of its output', async () => {
  const each = MAX_ANSWERS_BYTES / 64;
  const ids = Array.from({ length: 65 }, (_, index) => `t${index}`);
  const printers = new Map(ids.map((id) => [id, printer(id, 'x'.repeat(each))]));
  const { changes } = await changesOf(printers, new Map(ids.map((id) => [id, null])), each);
  expect(changes.map(({ id, raw }) => [id, raw.length])).toEqual(ids.slice(0, 64).map((id) => [id, each]));
});
