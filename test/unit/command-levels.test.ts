import { describe, expect, it } from 'vitest';
import { MAX_SHELL_LEVELS } from '../../src/contract/limits.js';
import { newMarkState, takeExit, takeMark } from '../../src/workers/shard/stages/command-levels.js';
import type { MarkState } from '../../src/workers/shard/stages/command-plan.js';
import type { MarkContent } from '../../src/workers/shard/stages/mark.js';

/**
 * Returns the content of a mark. `A 1`: a prompt of process 1 begins; `D 1 3`: the command of process 1 ends with
 * status 3; `C 0 T`: the output of the command with the token T begins.
 */
function contentOf(letter: string, argument: string | undefined): MarkContent {
  const exitCode = argument === undefined ? null : Number(argument);
  switch (letter) {
    case 'A':
      return { kind: 'promptStart' };
    case 'B':
      return { kind: 'promptEnd' };
    case 'C':
      return { kind: 'outputStart' };
    case 'D':
      return { kind: 'outputEnd', exitCode };
    case 'P':
      return { kind: 'cwd', cwd: argument! };
    default:
      return { kind: 'commandLine', commandLine: argument! };
  }
}

/** Returns the events of a sequence of marks; the mark at index n takes the positions n * 10 to n * 10 + 5. */
function take(marks: string[], from: MarkState = newMarkState()) {
  let state = from;
  const events = marks.flatMap((mark, index) => {
    const [letter, pid, ...rest] = mark.split(' ');
    const isToken = pid === '0';
    const content = contentOf(letter!, isToken ? rest[1] : rest[0]);
    const begin = index * 10;
    const key = isToken ? rest[0]! : 'N';
    const step = takeMark(
      state,
      { ...content, key, pid: Number(pid), begin, end: begin + 5 },
      `at ${begin + 5}`,
    );
    state = step.state;
    return step.events.map((event) => {
      const id = 'commandId' in event ? ` ${Number.parseInt(event.commandId.slice(4), 36)}` : '';
      return event.kind === 'finished' ? `finished${id} ${event.exitCode}` : `${event.kind}${id}`;
    });
  });
  return { events, state };
}

describe('takeMark', () => {
  it.each<[string, string[], string[]]>([
    ['a command', ['A 1', 'B 1', 'C 1', 'D 1 3'], ['prompt', 'started 20', 'finished 20 3']],
    [
      'an end that is told twice',
      ['A 1', 'B 1', 'C 1', 'D 1 3', 'D 1 4'],
      ['prompt', 'started 20', 'finished 20 3'],
    ],
    ['an end without a command', ['A 1', 'B 1', 'D 1 130', 'A 1', 'B 1'], ['prompt', 'prompt']],
    ['a prompt that is drawn again', ['A 1', 'B 1', 'B 1', 'B 1'], ['prompt']],
    [
      'a prompt that a program draws',
      ['A 1', 'B 1', 'C 1', 'B 1', 'D 1 0'],
      ['prompt', 'started 20', 'finished 20 0'],
    ],
    ['an end nobody told', ['C 1', 'A 1', 'B 1'], ['started 0', 'finished 0 null', 'prompt']],
    [
      'two commands without a prompt',
      ['C 1', 'C 1', 'D 1 0'],
      ['started 0', 'finished 0 null', 'started 10', 'finished 10 0'],
    ],
    [
      'a shell in a shell',
      ['C 1', 'A 2', 'B 2', 'C 2', 'D 2 7', 'A 2', 'B 2', 'D 1 0', 'A 1', 'B 1'],
      ['started 0', 'prompt', 'started 30', 'finished 30 7', 'prompt', 'finished 0 0', 'prompt'],
    ],
    [
      'a shell in a shell that is killed within a command',
      ['C 1', 'A 2', 'B 2', 'C 2', 'D 1 137'],
      ['started 0', 'prompt', 'started 30', 'finished 30 137', 'finished 0 137'],
    ],
    [
      'the same, when only a prompt tells it',
      ['C 1', 'C 2', 'C 3', 'A 1', 'B 1'],
      [
        'started 0',
        'started 10',
        'started 20',
        'finished 20 null',
        'finished 10 null',
        'finished 0 null',
        'prompt',
      ],
    ],
    [
      'a shell after another',
      ['A 1', 'B 1', 'A 2', 'B 2', 'C 2', 'D 2 0'],
      ['prompt', 'prompt', 'started 40', 'finished 40 0'],
    ],
    ['a process nobody knows that ends something', ['C 1', 'D 2 5', 'D 1 0'], ['started 0', 'finished 0 0']],
    ['command lines and folders', ['E 1 ls', 'P 1 /tmp'], []],
  ])('reports %s', (_name, marks, events) => {
    expect(take(marks).events).toEqual(events);
  });

  it('keeps the open command, its place, and the folder', () => {
    const { state } = take(['P 1 /tmp', 'C 1', 'A 2', 'B 2']);
    expect(state).toEqual({
      position: 35,
      levels: [
        { pid: 1, running: { commandId: 'cmd_a', start: 'at 15' } },
        { pid: 2, running: null },
      ],
      atPrompt: true,
      isContinued: false,
      cwd: '/tmp',
      tokens: [],
    });
    expect(take(['D 1 0'], state).events).toEqual(['finished 10 0']);
    expect(take(['D 1 0'], state).state).toMatchObject({
      levels: [{ pid: 1, running: null }],
      atPrompt: false,
    });
  });

  it('follows a bounded number of nested shells', () => {
    const marks = Array.from({ length: 30 }, (_, index) => `C ${index + 1}`);
    const { state, events } = take(marks);
    expect(state.levels).toHaveLength(MAX_SHELL_LEVELS);
    expect(events).toHaveLength(MAX_SHELL_LEVELS);
    for (const mark of ['A 30', 'B 30', 'C 30', 'D 30 1']) expect(take([mark], state).events).toEqual([]);
    expect(take(['D 1 0'], state).events.at(-1)).toBe('finished 0 0');
  });
});

describe('a command reported by a token', () => {
  const waiting: MarkState = { ...newMarkState(), tokens: ['T', 'U'] };

  it.each<[string, string[], string[], string[]]>([
    ['is taken once', ['C 0 T', 'D 0 T 3', 'C 0 T', 'D 0 T 3'], ['started 0', 'finished 0 3'], ['U']],
    ['needs its token', ['C 0 X', 'D 0 X 3'], [], ['T', 'U']],
    ['needs a beginning', ['D 0 T 3'], [], ['U']],
    [
      'may be broken off',
      ['C 0 T', 'C 0 U', 'D 0 U 0'],
      ['started 0', 'finished 0 null', 'started 10', 'finished 10 0'],
      ['T'],
    ],
    [
      'may run a shell that tells of itself',
      ['C 0 T', 'A 5', 'B 5', 'C 5', 'D 0 T 9'],
      ['started 0', 'prompt', 'started 30', 'finished 30 null', 'finished 0 9'],
      ['U'],
    ],
    [
      'may run inside of a command',
      ['C 5', 'C 0 T', 'D 0 T 1', 'D 5 0'],
      ['started 0', 'started 10', 'finished 10 1', 'finished 0 0'],
      ['U'],
    ],
    [
      'ends with the command it runs in',
      ['C 5', 'C 0 T', 'D 5 0'],
      ['started 0', 'started 10', 'finished 10 0', 'finished 0 0'],
      ['T', 'U'],
    ],
    ['tells of no prompt', ['A 0 T', 'B 0 T'], [], ['T', 'U']],
  ])('%s', (_name, marks, events, tokens) => {
    const taken = take(marks, waiting);
    expect(taken.events).toEqual(events);
    expect(taken.state.tokens).toEqual(tokens);
  });
});

describe('takeExit', () => {
  it('ends the open commands: the outermost with the exit code of the terminal', () => {
    const { state } = take(['C 1', 'C 2', 'C 3']);
    const step = takeExit(state, 4);
    expect(step.events).toEqual([
      { kind: 'finished', commandId: 'cmd_k', exitCode: null },
      { kind: 'finished', commandId: 'cmd_a', exitCode: null },
      { kind: 'finished', commandId: 'cmd_0', exitCode: 4 },
    ]);
    expect(step.state).toMatchObject({ levels: [], atPrompt: false, position: 25 });
    expect(takeExit(step.state, 4).events).toEqual([]);
  });
});
