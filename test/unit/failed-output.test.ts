import { beforeEach, describe, expect, it } from 'vitest';
import { FailedOutput } from '#dist/actors/commands/failed-output.js';
import type { Command } from '#dist/contract/command.js';
import { DomainError } from '#dist/contract/errors.js';
import { MAX_FAILED_FETCHES, MAX_FAILED_OUTPUT_BYTES, MAX_FAILED_WAITING } from '#dist/contract/limits.js';
import type { RangeQuery } from '#dist/workers/shard/protocol.js';

const commandOf = (start: string, end: string | null = 'end'): Command => ({
  ...{ id: 'cmd_1', commandLine: 'false', cwd: null, startedAt: 0, endedAt: 1, durationMs: 1, exitCode: 1 },
  outputCursor: { start, end },
});

let asked: { query: RangeQuery; answer: (text: string) => void; fail: (error: Error) => void }[];
let taken: string[];
let leftOut: number;
let logged: string[];
let output: FailedOutput;

beforeEach(() => {
  [asked, taken, leftOut, logged] = [[], [], 0, []];
  output = new FailedOutput({
    screens: () => ({
      rangeText: (_id, query) =>
        new Promise((resolve, fail) => {
          asked.push({ query, answer: (text) => resolve({ text, truncated: false }), fail });
        }),
    }),
    index: {
      failed: (id, text) => void taken.push(`${id}: ${text}`),
      leftOut: (bytes) => {
        leftOut += bytes;
      },
    },
    logger: { warn: (_fields: unknown, message: string) => void logged.push(message) } as never,
  });
});

describe('the output of failed commands', () => {
  it('is fetched exactly, and only its end', async () => {
    output.add('a', commandOf('start'), 10);
    output.add('a', commandOf('start', null), 10);
    await new Promise(setImmediate);
    const common = { start: 'start', raw: false, maxBytes: MAX_FAILED_OUTPUT_BYTES };
    expect(asked.map(({ query }) => query)).toEqual([{ ...common, end: 'end' }, common]);
    for (const { answer } of asked) answer('oh no');
    await output.settled();
    expect([taken, leftOut]).toEqual([['a: oh no', 'a: oh no'], 0]);
  });

  it('is fetched a few at a time, in order; beyond a bound it is left out, and counted', async () => {
    const all = MAX_FAILED_FETCHES + MAX_FAILED_WAITING;
    for (let index = 0; index < all + 3; index++) output.add('a', commandOf(`${index}`), 100);
    await new Promise(setImmediate);
    expect([asked.length, leftOut]).toEqual([MAX_FAILED_FETCHES, 300]);
    output.add('a', commandOf('huge'), 1e9);
    expect(leftOut).toBe(300 + MAX_FAILED_OUTPUT_BYTES);
    const settled = output.settled();
    for (let index = 0; index < all; index++) {
      asked[index]!.answer(asked[index]!.query.start);
      await new Promise(setImmediate);
      expect(asked.length).toBe(Math.min(all, MAX_FAILED_FETCHES + index + 1));
    }
    await settled;
    expect(taken).toEqual(Array.from({ length: all }, (_, index) => `a: ${index}`));
  });

  it('is left out if the terminal is gone; another failure is reported', async () => {
    for (const code of ['terminal-not-found', 'unavailable'] as const) {
      output.add('a', commandOf('start'), 10);
      await new Promise(setImmediate);
      asked.at(-1)!.fail(new DomainError(code));
    }
    await output.settled();
    expect([taken, leftOut, logged]).toEqual([[], 20, ['a failed command was not indexed']]);
    output.add('a', commandOf('start'), 10);
    await new Promise(setImmediate);
    asked.at(-1)!.answer('goes on');
    await output.settled();
    expect(taken).toEqual(['a: goes on']);
  });
});
