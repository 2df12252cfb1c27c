import { describe, expect, it } from 'vitest';
import { newMarkState, takeExit, takeMark } from '../../src/workers/shard/stages/command-levels.js';
import type { MarkState } from '../../src/workers/shard/stages/command-plan.js';
import type { MarkContent } from '../../src/workers/shard/stages/mark.js';

/**
 * Returns the content of a mark. `R x 0`: a shell takes the line of run x at status 0; `B 3`: its third prompt. A mark
 * is of process 1 unless `@n` names process n.
 */
function contentOf([letter, ...rest]: string[]): MarkContent {
  const number = rest[0] === undefined ? null : Number(rest[0]);
  switch (letter) {
    case 'A':
      return { kind: 'promptStart', takesRuns: true };
    case 'B':
      return { kind: 'promptEnd', ...(number !== null && { count: number }) };
    case 'C':
      return { kind: 'outputStart' };
    case 'D':
      return { kind: 'outputEnd', exitCode: number };
    case 'R':
      return {
        kind: 'runTaken',
        token: rest[0]!,
        status: Number(rest[1] ?? 0),
        hasDraft: rest[2] === 'draft',
      };
    case 'I':
      return { kind: 'runIncomplete', token: rest[0]! };
    case 'S':
      return { kind: 'continuation' };
    case 'L':
      return { kind: 'lineEditor' };
    default:
      return { kind: 'draftBack' };
  }
}

function take(marks: string[], from: MarkState = newMarkState()) {
  let state = from;
  const events = marks.flatMap((mark, index) => {
    const words = mark.split(' ');
    const pid = Number(words.find((word) => word.startsWith('@'))?.slice(1) ?? 1);
    const content = contentOf(words.filter((word) => !word.startsWith('@')));
    const begin = index * 10;
    const step = takeMark(state, { ...content, key: 'N', pid, begin, end: begin + 5 }, 'cursor');
    state = step.state;
    return step.events.map((event) => {
      if (event.kind === 'started') return `started${event.runId ? ` ${event.runId}` : ''}`;
      if (event.kind === 'over') return `over ${event.runId} ${event.how} ${event.exitCode}`;
      if (event.kind === 'taken') return `taken ${event.runId}`;
      return event.kind === 'finished' ? `finished ${event.exitCode}` : event.kind;
    });
  });
  return { events, state };
}

const PROMPT = ['A', 'B 1'];

describe('the line of a run', () => {
  it.each<[string, string[], string[]]>([
    [
      'starts the commands up to the next prompt',
      ['R x', 'C', 'D 3', 'A', 'B 2', 'C'],
      ['taken x', 'started x', 'finished 3', 'prompt', 'over x prompt null', 'started'],
    ],
    [
      'may start several',
      ['R x', 'C', 'D 0', 'C', 'D 4', 'A', 'B 2'],
      ['taken x', 'started x', 'finished 0', 'started x', 'finished 4', 'prompt', 'over x prompt null'],
    ],
    [
      'is not over when the prompt is drawn again around it',
      ['R x', 'B 1', 'C', 'D 0'],
      ['taken x', 'started x', 'finished 0'],
    ],
    [
      'is over at a prompt without a beginning, as after a history event that is not found',
      ['R x', 'B 1', 'B 2'],
      ['taken x', 'prompt', 'over x prompt null'],
    ],
    [
      'is refused with the status that follows it',
      ['R x 0', 'D 2', 'A', 'B 2'],
      ['taken x', 'prompt', 'over x prompt 2'],
    ],
    [
      'is refused with no known status, where that is the one of before',
      ['R x 2', 'D 2', 'A', 'B 2'],
      ['taken x', 'prompt', 'over x prompt null'],
    ],
    ['is incomplete', ['R x', 'S'], ['taken x', 'over x incomplete null']],
    [
      'is incomplete after its first command',
      ['R x', 'C', 'S'],
      ['taken x', 'started x', 'over x incomplete null'],
    ],
    [
      'does not get what somebody completes',
      ['R x', 'S', 'C', 'D 0'],
      ['taken x', 'over x incomplete null', 'started', 'finished 0'],
    ],
    [
      'is given up by a shell that knows it is incomplete',
      ['R x 0 draft', 'I x'],
      ['taken x', 'over x incomplete null'],
    ],
    [
      'may open a shell, whose commands are its own',
      ['R x', 'C', 'A @2', 'B 1 @2', 'C @2', 'D 1 @2'],
      ['taken x', 'started x', 'prompt', 'started', 'finished 1'],
    ],
    [
      'in a shell within a shell that it ends is over with it',
      ['C', 'A @2', 'B 1 @2', 'R x @2', 'C @2', 'D 3'],
      ['started', 'prompt', 'taken x', 'started x', 'finished 3', 'finished 3', 'over x gone null'],
    ],
    ['is over when another one is taken', ['R x', 'R y'], ['taken x', 'over x gone null', 'taken y']],
    [
      'is told by nothing that another shell prints',
      ['R x', 'L', 'Q'],
      ['taken x', 'lineEditor', 'draftBack'],
    ],
  ])('%s', (_what, marks, events) => {
    const { state } = take(PROMPT);
    expect(take(marks, state).events).toEqual(events);
  });

  it('is over when the terminal ends', () => {
    const { state } = take([...PROMPT, 'R x', 'C']);
    const { events } = takeExit(state, 7);
    expect(events.map(({ kind }) => kind)).toEqual(['finished', 'over']);
  });

  it('leaves a draft until the draft is back', () => {
    const { state } = take([...PROMPT, 'R x 0 draft', 'C', 'D 0', 'R y', 'A', 'B 2']);
    expect(state.hasDraft).toBe(true);
    expect(take(['Q'], state).state.hasDraft).toBe(false);
    expect(take([...PROMPT, 'R x 0 draft', 'I x']).state).toMatchObject({ hasDraft: false, atPrompt: true });
  });

  it('is taken only by a shell that reports it', () => {
    const { state } = take(PROMPT);
    expect(state.levels).toMatchObject([{ pid: 1, takesRuns: true }]);
    expect(take(['C', 'D 0'], state).state.levels).toMatchObject([{ takesRuns: true }]);
    expect(take(['S'], state).state).toMatchObject({ isContinued: true, atPrompt: false });
    expect(take(['S', 'A', 'B 2'], state).state).toMatchObject({ isContinued: false, atPrompt: true });
  });
});

it('the wish for more of a command is told once, not at each further line, also where no run is concerned', () => {
  const { state } = take(PROMPT);
  expect(take(['S', 'S', 'S'], state).events).toEqual(['continued']);
  expect(take(['S', 'A', 'B 2', 'S', 'S', 'C', 'D 0'], state).events).toEqual([
    'continued',
    'prompt',
    'continued',
    'started',
    'finished 0',
  ]);
});
