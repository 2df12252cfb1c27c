import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TMUX_COMMAND_DEADLINE_MS } from '#dist/contract/limits.js';
import { type Answer, ControlAnswers } from '#dist/workers/pty-host/tmux/control-answers.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Expects a line for each number of commands; `told` holds the answers of the lines' callers, in order. */
function expecting(...commands: number[]) {
  const answers = new ControlAnswers();
  const told: [line: number, answer: Answer][] = [];
  for (const [line, count] of commands.entries())
    answers.expect(count, (answer) => told.push([line, answer]));
  return { answers, told };
}

/** Lets the deadline of the open lines pass, and then a turn of the event loop. */
async function deadline() {
  vi.advanceTimersByTime(TMUX_COMMAND_DEADLINE_MS);
  await nextTurn();
}

const noAnswer = { fault: `no answer within ${TMUX_COMMAND_DEADLINE_MS} ms`, isUnanswered: true };

describe('answers to lines of commands', () => {
  test('come when each command of the line has been answered', () => {
    const { answers, told } = expecting(1, 3, 1);
    expect(answers.block(true, ['a'])).toBe(true);
    expect(told).toEqual([[0, { lines: [['a']] }]]);
    answers.block(true, []);
    answers.block(true, ['b', 'c']);
    expect(told).toHaveLength(1);
    answers.block(true, ['d']);
    expect(told[1]).toEqual([1, { lines: [[], ['b', 'c'], ['d']] }]);
    answers.block(true, ['e']);
    expect(told[2]).toEqual([2, { lines: [['e']] }]);
    expect(answers.block(true, [])).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('end at the first command that fails', () => {
    const { answers, told } = expecting(3, 1);
    answers.block(true, ['a']);
    answers.block(false, ["can't find session: x", 'really']);
    expect(told).toEqual([[0, { fault: "can't find session: x\nreally" }]]);
    answers.block(false, []);
    expect(told[1]).toEqual([1, { fault: 'refused without a reason' }]);
  });

  test('are given up at the deadline, and skipped when they come', async () => {
    const { answers, told } = expecting(2, 1);
    answers.block(true, ['in time']);
    await deadline();
    expect(told).toEqual([
      [0, noAnswer],
      [1, noAnswer],
    ]);
    answers.expect(1, (answer) => told.push([2, answer]));
    answers.block(true, ['late']);
    answers.block(false, ['later']);
    expect(told).toHaveLength(2);
    answers.block(true, ['in time']);
    expect(told[2]).toEqual([2, { lines: [['in time']] }]);
    expect(answers.block(true, [])).toBe(false);
  });

  test('of a line that was given up end at its first failure, too', async () => {
    const { answers, told } = expecting(3);
    await deadline();
    answers.expect(1, (answer) => told.push([1, answer]));
    answers.block(true, []);
    answers.block(false, ['late']);
    answers.block(true, ['in time']);
    expect(told).toEqual([
      [0, noAnswer],
      [1, { lines: [['in time']] }],
    ]);
  });

  test('that have come by the deadline count, though they are read a moment after it', async () => {
    const { answers, told } = expecting(1);
    vi.advanceTimersByTime(TMUX_COMMAND_DEADLINE_MS);
    answers.block(true, ['read late']);
    await nextTurn();
    expect(told).toEqual([[0, { lines: [['read late']] }]]);
  });

  test('are all faults at the end, once each', async () => {
    const { answers, told } = expecting(1, 2, 1);
    await deadline();
    answers.expect(2, (answer) => told.push([3, answer]));
    told.length = 0;
    answers.end('gone');
    answers.end('gone');
    expect(told).toEqual([[3, { fault: 'gone', isUnanswered: true }]]);
    await deadline();
    expect(told).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('may be followed by another line from within', () => {
    const { answers, told } = expecting(1);
    answers.expect(1, (answer) => {
      told.push([1, answer]);
      answers.expect(1, (next) => told.push([2, next]));
    });
    for (const line of ['a', 'b', 'c']) answers.block(true, [line]);
    expect(told.map(([line]) => line)).toEqual([0, 1, 2]);
  });
});
