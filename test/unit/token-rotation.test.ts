import { describe, expect, test } from 'vitest';
import type { KeptToken } from '#dist/actors/access/kept-token.js';
import { TokenRates } from '#dist/actors/access/token-rates.js';
import { TokenBody } from '#dist/contract/access.js';
import { memoryCollection, newTokens } from '../support/open-access.js';

const HOUR = 3_600_000;
const body = (more: object) => TokenBody.parse({ name: 'n', verbs: ['read', 'control'], ...more });

describe('a rotation', () => {
  test('gives another text, and ends the earlier ones at once or when their time is over, also after a restart', async () => {
    let now = 0;
    const collection = memoryCollection<KeptToken>();
    const rotated: string[] = [];
    const onRotated = (id: string) => void rotated.push(id);
    const tokens = newTokens({ collection, onRotated, now: () => now });
    const { holder, text: first } = await tokens.create(body({ expiresInMs: HOUR }));
    const { id } = holder;
    const { text: second } = await tokens.rotate(id, { overlapMs: 1_000 });
    const { text: third } = await tokens.rotate(id, { overlapMs: 5_000 });
    const valid = (by = tokens) => [first, second, third].map((text) => by.find(text)?.id === id);
    const reopened = () => newTokens({ collection, now: () => now });
    expect([valid(), valid(reopened())]).toEqual([Array(3).fill(true), Array(3).fill(true)]);
    now = 1_000;
    expect([valid(), valid(reopened())]).toEqual([
      [false, true, true],
      [false, true, true],
    ]);
    const shown = tokens.find(second)!;
    expect(tokens.endOf(shown)).toBe(5_000);
    const { text: fourth } = await tokens.rotate(id, { overlapMs: 0, expiresInMs: 2 * HOUR });
    // The second text keeps its time, and the third ends at once.
    expect(valid()).toEqual([false, true, false]);
    expect(tokens.find(fourth)).toMatchObject({
      id,
      expiresAt: 1_000 + 2 * HOUR,
      verbs: ['read', 'control'],
    });
    now = 5_000;
    expect(tokens.endOf(shown)).toBeUndefined();
    expect(rotated).toEqual([id, id, id]);
    expect(JSON.stringify([...collection.all()])).not.toContain(fourth.slice(3));
    await tokens.delete(id);
    expect(tokens.find(fourth)).toBeUndefined();
    await expect(tokens.rotate(id, { overlapMs: 0 })).rejects.toMatchObject({ code: 'token-not-found' });
  });
});

test('a token sends as many requests as its rate allows, with those made from it', async () => {
  let now = 0;
  const tokens = newTokens();
  const rates = new TokenRates(tokens, () => now);
  const { holder } = await tokens.create(body({ ratePerMinute: 60 }));
  const made = tokens.find(await tokens.grant('term_1', { verbs: ['read'] }, holder))!;
  const free = (await tokens.create(body({}))).holder;
  const take = (by: typeof holder, count: number) => {
    let passed = 0;
    for (let n = 0; n < count; n++) {
      try {
        rates.take(by);
        passed++;
      } catch (error) {
        expect(error).toMatchObject({ code: 'token-rate', details: { retryAfterMs: 1_000 } });
      }
    }
    return passed;
  };
  expect([take(holder, 20), take(made, 50), take(holder, 5), take(free, 500)]).toEqual([20, 40, 0, 500]);
  now = 2_000;
  expect(take(made, 5)).toBe(2);
  now = 600_000;
  expect(take(holder, 100)).toBe(60);
});
