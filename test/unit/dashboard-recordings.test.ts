import { expect, it } from 'vitest';
import { fileNameOf, lengthOf, recordingRows } from '../../dashboard/src/recordings/recording-list.js';
import type { RecordingSummary } from '../../src/client/browser.js';

function recording(id: string, startTime: string, endTime: string | null = null): RecordingSummary {
  return { id, terminalId: 'term_a', startTime, endTime, size: 1, eventCount: 1 };
}

it('lists recordings that go on first, then the newest, each once', () => {
  const old = recording('old', '2026-01-01T00:00:00.000Z');
  const late = recording('late', '2026-01-02T00:00:00.000Z');
  const active = [
    { id: 'now', startTime: '2026-01-03T00:00:00.000Z' },
    { id: 'late', startTime: '2026-01-02T00:00:00.000Z' },
    { id: 'newest', startTime: '2026-01-04T00:00:00.000Z' },
  ].map((facts) => ({ ...facts, terminalId: 'term_a', size: 1, eventCount: 1 }));
  const ids = recordingRows(active, [old, late]).map(({ kind, id }) => `${kind} ${id}`);
  expect(ids).toEqual(['active newest', 'active now', 'stopped late', 'stopped old']);
});

it('knows a length only with both ends', () => {
  expect(lengthOf(recording('a', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:04.600Z'))).toBe(4_600);
  expect(lengthOf(recording('a', '2026-01-01T00:00:00.000Z'))).toBeUndefined();
});

it('names files without characters that a system refuses', () => {
  const name = fileNameOf(recording('a6c039f8-3558', '2026-01-01T10:20:30.123Z'), 'asciicast');
  expect(name).toBe('recording-2026-01-01T102030-a6c039f8.cast');
});
