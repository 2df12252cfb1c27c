import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PlayClock, Schedule, speedBeside } from '#dist/command/play/clock.js';

describe('the schedule of a recording', () => {
  const times = [0.5, 1, 61, 61, 62];

  test.each([
    ['as it was', {}, [0.5, 1, 61, 61, 62]],
    ['without long pauses', { idleLimit: 2 }, [0.5, 1, 3, 3, 4]],
    ['without any pause', { idleLimit: 0 }, [0, 0, 0, 0, 0]],
    ['from a time on', { start: 30 }, [0, 0, 31, 31, 32]],
    ['from a time on, without long pauses', { start: 60.5, idleLimit: 0.25 }, [0, 0, 0.25, 0.25, 0.5]],
    ['after its end', { start: 100 }, [0, 0, 0, 0, 0]],
  ])('is %s', (_name, options, due) => {
    const schedule = new Schedule(options);
    expect(times.map((time) => schedule.next(time))).toEqual(due);
  });

  test('never goes back', () => {
    const schedule = new Schedule({});
    expect([2, 1, 3].map((time) => schedule.next(time))).toEqual([2, 2, 3]);
  });
});

describe('the clock of a playback', () => {
  test('reaches a place at the time that it says, through pauses and other speeds', () => {
    const change = fc.record({
      after: fc.nat(5_000),
      speed: fc.constantFrom(0.25, 0.5, 1, 2, 4),
      isRunning: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change), fc.nat(100), (changes, place) => {
        const clock = new PlayClock(1);
        let now = 1_000;
        let played = 0;
        clock.start(now);
        let [speed, isRunning] = [1, true];
        for (const next of changes) {
          now += next.after;
          if (isRunning) played += (next.after / 1_000) * speed;
          expect(clock.placeAt(now)).toBeCloseTo(played, 6);
          clock.setSpeed(next.speed, now);
          if (next.isRunning) clock.start(now);
          else clock.stop(now);
          ({ speed, isRunning } = next);
        }
        const ms = clock.msUntil(place, now);
        if (place <= played - 1e-9) expect(ms).toBe(0);
        else if (!isRunning) expect(ms).toBe(place - clock.placeAt(now) > 0 ? Number.POSITIVE_INFINITY : 0);
        else expect(clock.placeAt(now + ms)).toBeCloseTo(Math.max(place, played), 6);
      }),
    );
  });

  test('moves on to a place, and never back', () => {
    const clock = new PlayClock(2);
    clock.start(0);
    clock.moveTo(10, 1_000);
    expect(clock.placeAt(1_500)).toBe(11);
    clock.moveTo(5, 1_500);
    expect(clock.placeAt(1_500)).toBe(11);
  });

  test.each([
    [1, 'faster', 1.5],
    [1, 'slower', 0.5],
    [4, 'faster', 4],
    [0.25, 'slower', 0.25],
    [10, 'slower', 4],
    [10, 'faster', 10],
    [0.1, 'faster', 0.25],
  ] as const)('at speed %d, %s is %d', (speed, direction, beside) => {
    expect(speedBeside(speed, direction)).toBe(beside);
  });
});
