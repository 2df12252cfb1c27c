import { describe, expect, it, vi } from 'vitest';
import { outdated, Retention } from '../../src/actors/recordings/retention.js';
import { RETENTION_LOOK_MS } from '../../src/contract/limits.js';

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-30T12:00:00Z');

/** Returns a recording that ended `days` days ago. */
const ended = (id: string, days: number, size = 10) => ({
  ...{ id, size, start_time: new Date(NOW - days * DAY - 1_000).toISOString() },
  end_time: new Date(NOW - days * DAY).toISOString(),
});

describe('outdated', () => {
  const some = [ended('c', 3), ended('a', 1), ended('d', 40), ended('b', 2)];

  it('is nothing without limits', () => {
    expect(outdated(some, { keepDays: 0, maxBytes: 0 }, NOW)).toEqual([]);
  });

  it.each([
    [1, ['b', 'c', 'd']],
    [2, ['c', 'd']],
    [39, ['d']],
    [40, []],
  ])('is what ended more than %i days ago', (keepDays, ids) => {
    expect(outdated(some, { keepDays, maxBytes: 0 }, NOW)).toEqual(ids);
  });

  it.each([
    [40, []],
    [39, ['d']],
    [20, ['c', 'd']],
    [9, ['a', 'b', 'c', 'd']],
  ])('is the oldest of what exceeds %i bytes', (maxBytes, ids) => {
    expect(outdated(some, { keepDays: 0, maxBytes }, NOW)).toEqual(ids);
  });

  it('counts no bytes of what is too old anyway', () => {
    expect(outdated([...some, ended('e', 50, 1_000)], { keepDays: 30, maxBytes: 30 }, NOW)).toEqual([
      'd',
      'e',
    ]);
  });

  it('goes by the start of a recording whose end was never written', () => {
    const cut = { ...ended('a', 5), end_time: null };
    expect(outdated([cut], { keepDays: 4, maxBytes: 0 }, NOW)).toEqual(['a']);
  });
});

describe('retention', () => {
  function kept(limits: { keepDays: number; maxBytes: number }) {
    vi.useFakeTimers({ now: NOW });
    const recordings = new Map(['a', 'b', 'c'].map((id, index) => [id, ended(id, index)]));
    const refused = new Set<string>();
    const logger = { info: vi.fn(), warn: vi.fn() };
    const retention = new Retention({
      limits: () => limits,
      recordings: () => recordings.values(),
      delete: async (id) => {
        if (refused.has(id)) throw new Error('EACCES');
        recordings.delete(id);
      },
      logger,
    });
    return { retention, recordings, refused, logger, limits };
  }

  it('deletes at its start, and what has become too old since', async () => {
    const { retention, recordings, logger } = kept({ keepDays: 1, maxBytes: 0 });
    retention.start();
    await vi.advanceTimersByTimeAsync(0);
    expect([...recordings.keys()]).toEqual(['a', 'b']);
    expect(logger.info).toHaveBeenCalledWith(expect.objectContaining({ recordings: 1 }), expect.any(String));
    await vi.advanceTimersByTimeAsync(RETENTION_LOOK_MS);
    expect([...recordings.keys()]).toEqual(['a']);
    await retention.stop();
    vi.useRealTimers();
  });

  it('looks when a limit has changed', async () => {
    const { retention, recordings, limits } = kept({ keepDays: 0, maxBytes: 0 });
    retention.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(recordings.size).toBe(3);
    limits.maxBytes = 10;
    retention.look();
    await retention.stop();
    expect([...recordings.keys()]).toEqual(['a']);
    vi.useRealTimers();
  });

  it('says what cannot be deleted, and tries again', async () => {
    const { retention, recordings, refused, logger } = kept({ keepDays: 1, maxBytes: 10 });
    refused.add('c');
    retention.look();
    await retention.stop();
    expect([...recordings.keys()]).toEqual(['a', 'c']);
    expect(logger.warn).toHaveBeenCalledTimes(1);
    refused.clear();
    retention.look();
    await retention.stop();
    expect([...recordings.keys()]).toEqual(['a']);
    vi.useRealTimers();
  });
});
