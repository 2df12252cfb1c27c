import { describe, expect, it } from 'vitest';
import { AnswerBytes } from '../../src/actors/runs/answer-bytes.js';
import { durationOf, exitCodeOf, newProgress, printedBy } from '../../src/actors/runs/progress.js';
import { resultOf } from '../../src/actors/runs/results.js';
import type { Command } from '../../src/contract/command.js';
import { DomainError } from '../../src/contract/errors.js';
import { CALL_DEADLINE_MS, MAX_ANSWER_READS, MAX_ANSWERS_BYTES } from '../../src/contract/limits.js';
import type { RangeQuery } from '../../src/workers/shard/protocol.js';

const NEVER = new AbortController().signal;

/** Screens that return these texts by the cursor at which each range starts; `truncated` as a shard returns it. */
function screens(ranges: Record<string, string>) {
  const queries: RangeQuery[] = [];
  return {
    queries,
    rangeText: async (_id: string, query: RangeQuery) => {
      queries.push(query);
      const whole = ranges[query.start];
      if (whole === undefined) throw new DomainError('terminal-not-found');
      const text = query.maxBytes === 0 ? '' : whole.slice(-query.maxBytes);
      return { text, truncated: text.length < whole.length };
    },
  };
}

describe('the output in an answer', () => {
  it('is that of all ranges in order, and only the end of too much', async () => {
    const ranges = { a: 'first,', b: 'second,', c: 'third' };
    const printed = [{ start: 'a', end: 'x' }, { start: 'b', end: 'y' }, { start: 'c' }];
    for (const [maxBytes, text, asked] of [
      [100, 'first,second,third', 3],
      [18, 'first,second,third', 3],
      [17, 'irst,second,third', 3],
      [11, 'econd,third', 2],
      [3, 'ird', 1],
    ] as const) {
      const source = screens(ranges);
      const read = await new AnswerBytes(source).read('id', printed, maxBytes, NEVER);
      expect(read).toEqual({ text: text.slice(-maxBytes), truncated: maxBytes < 18 });
      expect(source.queries).toHaveLength(asked);
    }
    expect(await new AnswerBytes(screens({})).read('id', [], 10, NEVER)).toEqual({
      text: '',
      truncated: false,
    });
  });

  it('shares one bound with the other terminals', async () => {
    const bytes = new AnswerBytes(screens({ big: 'x'.repeat(MAX_ANSWERS_BYTES - 3), small: 'hello' }));
    const read = (start: string) => bytes.read('id', [{ start }], MAX_ANSWERS_BYTES, NEVER);
    expect((await read('big')).truncated).toBe(false);
    expect(await read('small')).toEqual({ text: 'llo', truncated: true });
    expect(await read('small')).toEqual({ text: '', truncated: true });
  });

  it('holds no more when several are read at once, nor less than there is room for', async () => {
    const source = screens({ long: 'x'.repeat(8), short: 'hi' });
    const bytes = new AnswerBytes(source, 11);
    const starts = ['short', 'long', 'long', 'short'];
    const reads = starts.map((start) => bytes.read('id', [{ start }], 8, NEVER));
    expect((await Promise.all(reads)).map(({ text }) => text)).toEqual(['hi', 'x'.repeat(8), 'x', '']);
  });

  it('waits for a shard that is too busy to answer soon, with one read', async () => {
    let reads = 0;
    const rangeText = async (_id: string, _query: RangeQuery, deadlineMs = CALL_DEADLINE_MS) => {
      reads++;
      if (deadlineMs < 120_000) throw new DomainError('unavailable');
      return { text: 'text', truncated: false };
    };
    const { text } = await new AnswerBytes({ rangeText }).read('id', [{ start: 'a' }], 10, NEVER);
    expect([text, reads]).toEqual(['text', 1]);
  });

  it('is read for a few terminals at once, also after a failed read', async () => {
    let [reading, most] = [0, 0];
    const rangeText = async (id: string) => {
      most = Math.max(most, ++reading);
      await new Promise((resolve) => setImmediate(resolve));
      reading--;
      if (id === 'gone') throw new DomainError('terminal-not-found');
      return { text: id, truncated: false };
    };
    const bytes = new AnswerBytes({ rangeText });
    const ids = Array.from({ length: 200 }, (_, index) => (index % 5 === 0 ? 'gone' : `${index}`));
    const reads = await Promise.allSettled(ids.map((id) => bytes.read(id, [{ start: 'a' }], 10, NEVER)));
    expect(most).toBe(MAX_ANSWER_READS);
    expect(reads.map((read) => (read.status === 'fulfilled' ? read.value.text : 'gone'))).toEqual(ids);
  });
});

function command(startedAt: number, endedAt: number | null, exitCode: number | null): Command {
  const outputCursor = { start: `from ${startedAt}`, end: endedAt === null ? null : `to ${endedAt}` };
  const durationMs = endedAt === null ? null : endedAt - startedAt;
  return {
    id: `cmd_${startedAt}`,
    commandLine: '',
    cwd: null,
    startedAt,
    endedAt,
    durationMs,
    exitCode,
    outputCursor,
  };
}

describe('the result of a command', () => {
  const commands = () => [command(10, 15, 1), command(20, 40, 2), command(50, null, null)];

  it('is that of the last command that has ended, once all are done', () => {
    const running = { ...newProgress(), commands };
    expect([exitCodeOf(running), durationOf(running)]).toEqual([null, null]);
    const done = { ...running, isDone: true };
    expect([exitCodeOf(done), durationOf(done)]).toEqual([2, 30]);
    expect(exitCodeOf({ ...done, exitCode: 7 })).toBe(7);
    expect([
      exitCodeOf({ ...newProgress(), isDone: true }),
      durationOf({ ...newProgress(), isDone: true }),
    ]).toEqual([null, null]);
  });

  it('says that nothing was typed only where that is known', async () => {
    const integration = 'bash';
    const parts = { commands: { shellStatus: () => ({ integration }) }, logger: console } as never;
    const bytes = { bytes: new AnswerBytes(screens({})), maxBytes: 9, signal: NEVER };
    const part = (progress = newProgress()) => ({ id: 'id', progress, printed: [] });
    const reasonAfter = async (code: 'locked' | 'outcome-unknown') =>
      (await resultOf(parts, part(), { partState: 'over', fault: new DomainError(code) }, bytes)).result
        .reason;
    expect(await reasonAfter('locked')).toBe('not-typed');
    expect(await reasonAfter('outcome-unknown')).toBe('untold');
  });

  it('does not say that a command still runs whose terminal has gone', async () => {
    const parts = { commands: { shellStatus: () => ({ integration: 'bash' }) }, logger: console } as never;
    const bytes = { bytes: new AnswerBytes(screens({})), maxBytes: 9, signal: NEVER };
    const typed = { id: 'id', progress: { ...newProgress(), isTyped: true }, printed: [] };
    const reasonAfter = async (code: 'terminal-not-found' | 'unavailable') =>
      (await resultOf(parts, typed, { partState: 'over', fault: new DomainError(code) }, bytes)).result
        .reason;
    expect(await reasonAfter('terminal-not-found')).toBe('untold');
    expect(await reasonAfter('unavailable')).toBe('running');
  });

  it('is the output between their cursors; without reported commands, since it was typed', () => {
    const printed = { start: 'typed' };
    expect(printedBy({ ...newProgress(), commands, printed })).toEqual([
      { start: 'from 10', end: 'to 15' },
      { start: 'from 20', end: 'to 40' },
      { start: 'from 50' },
    ]);
    expect(printedBy({ ...newProgress(), printed })).toEqual([printed]);
    expect(printedBy(newProgress())).toEqual([]);
  });
});
