import { describe, expect, it } from 'vitest';
import {
  castOf,
  clockTime,
  markBeside,
  marksOf,
  speedBeside,
  withoutIdle,
} from '../../dashboard/src/recordings/cast.js';

const { cast: CAST, waits: WAITS } = castOf(
  [
    '{"version":2,"width":100,"height":30}',
    '[1,"o","a"]',
    '[11,"o","b"]',
    '[11.5,"m","it asks"]',
    '[12,"r","80x24"]',
    '',
  ].join('\n'),
);

it('reads asciicast', () => {
  expect(CAST).toEqual({
    cols: 100,
    rows: 30,
    events: [
      [1, 'o', 'a'],
      [11, 'o', 'b'],
      [12, 'r', '80x24'],
    ],
  });
});

describe('cut pauses', () => {
  const { cast, clock } = withoutIdle(CAST, 2);

  it('shortens only what is longer', () => {
    expect(cast.events.map(([time]) => time)).toEqual([1, 3, 4]);
  });

  it('translates times in both directions', () => {
    expect([0, 0.5, 1, 2, 8, 11, 11.5, 13].map((at) => clock.playedAt(at))).toEqual([
      0, 0.5, 1, 2, 3, 3, 3.5, 5,
    ]);
    expect([0, 0.5, 1, 2, 3, 3.5, 5].map((at) => clock.recordedAt(at))).toEqual([0, 0.5, 1, 2, 11, 11.5, 13]);
  });

  it('changes nothing without a limit', () => {
    const whole = withoutIdle(CAST, undefined);
    expect(whole.cast).toEqual(CAST);
    expect(whole.clock.playedAt(8)).toBe(8);
    expect(whole.clock.recordedAt(8)).toBe(8);
  });
});

describe('marks', () => {
  const marks = marksOf(
    [
      { startedAt: 9_000, commandLine: 'late' },
      { startedAt: 4_000, commandLine: 'second' },
      { startedAt: 1_000, commandLine: 'first' },
      { startedAt: 500, commandLine: 'before' },
    ],
    [{ at: 2, kind: 'wait', label: 'it asks' }],
    1_000,
    5_000,
  );

  it('are the commands within the recording, and the waits of agents', () => {
    expect(marks).toEqual([
      { at: 0, kind: 'command', label: 'first' },
      { at: 2, kind: 'wait', label: 'it asks' },
      { at: 3, kind: 'command', label: 'second' },
    ]);
    expect(WAITS).toEqual([{ at: 11.5, kind: 'wait', label: 'it asks' }]);
  });

  it('are gone to in both directions, the one just passed left out', () => {
    expect(markBeside(marks, 0, 1)?.label).toBe('it asks');
    expect(markBeside(marks, 3, 1)).toBeUndefined();
    expect(markBeside(marks, 2.5, -1)?.label).toBe('first');
    expect(markBeside(marks, 4.5, -1)?.label).toBe('second');
  });
});

it('goes through the speeds and stays at their ends', () => {
  expect([speedBeside(1, 1), speedBeside(1, -1), speedBeside(4, 1), speedBeside(0.25, -1)]).toEqual([
    1.5, 0.5, 4, 0.25,
  ]);
});

it('writes times as a clock', () => {
  expect([0, 7.9, 65, 3_725].map(clockTime)).toEqual(['0:00', '0:07', '1:05', '1:02:05']);
});
