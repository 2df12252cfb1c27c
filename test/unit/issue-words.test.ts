import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeIssues } from '../../src/contract/describe-issues.js';
import { SettingsPatch } from '../../src/contract/settings.js';

const Body = z.strictObject({
  name: z.string().min(1).max(5).optional(),
  word: z.string().min(3).optional(),
  cols: z.int().min(1).max(1_000).optional(),
  share: z.number().gt(0).lt(1).optional(),
  ids: z.array(z.string()).min(1).max(2).optional(),
  can: z.array(z.enum(['read', 'type', 'run'])).optional(),
  at: z.iso.datetime().optional(),
  own: z.string().min(3, 'must be a word').optional(),
  act: z.discriminatedUnion('type', [z.object({ type: z.literal('input') })]).optional(),
});

const wordsOn = (schema: z.ZodType, data: unknown) => describeIssues(schema.safeParse(data).error!, 'body');

it.each([
  [{ name: '' }, 'name: must not be empty'],
  [{ name: 'too long' }, 'name: Too long: at most 5 characters'],
  [{ word: 'ab' }, 'word: Too short: at least 3 characters'],
  [{ cols: 0 }, 'cols: Too small: at least 1'],
  [{ cols: 1_001 }, 'cols: Too big: at most 1000'],
  [{ cols: 1.5 }, 'cols: must be a whole number'],
  [{ cols: 'wide' }, 'cols: Invalid input: expected number, received string'],
  [{ share: 0 }, 'share: Too small: more than 0'],
  [{ share: 1 }, 'share: Too big: less than 1'],
  [{ share: Number.NaN }, 'share: must be a number'],
  [{ ids: [] }, 'ids: must not be empty'],
  [{ ids: ['a', 'b', 'c'] }, 'ids: Too many: at most 2 entries'],
  [{ can: ['write'] }, 'can[0]: Invalid option: use "read", "type" or "run"'],
  [{ at: 'noon' }, 'at: must be a time such as 2026-01-31T09:00:00Z'],
  [{ own: '' }, 'own: must be a word'],
  [{ act: { type: 'x' } }, 'act[type]: Invalid option: use "input"'],
  [{ x: 1 }, 'body: Unrecognized key: "x"'],
  [undefined, 'body: is missing'],
])('%j: %s', (data, words) => expect(wordsOn(Body, data)).toBe(words));

it.each([
  [{ a: 1 }, 'body: There is no setting a'],
  [{ network: { prot: 1 } }, 'network: There is no setting network.prot'],
  [{ limits: { most: 1 } }, 'limits: There is no setting limits.most'],
])('%j names settings that do not exist', (patch, words) =>
  expect(wordsOn(SettingsPatch, patch)).toBe(words),
);
