import { TMUX_COMMAND_DEADLINE_MS } from '../../../contract/limits.js';

/** The lines of each command's answer; or why not all of the commands were run, in words of tmux. */
export type Answer = { lines: string[][] } | { fault: string };

interface Expected {
  /** Commands of the line that have not been answered. */
  open: number;
  lines: string[][];
  /** null when the line has been given up: its answer is passed over when it comes. */
  done: ((answer: Answer) => void) | null;
  timer: NodeJS.Timeout;
}

/**
 * The lines of commands that tmux has been given and has not answered yet, in their order. tmux answers each command
 * of a line by a block until one fails, which is the line's last block; what it cannot read at all is one failure.
 */
export class ControlAnswers {
  readonly #queue: Expected[] = [];

  /** `done` is called once: with the answer, or with a fault when it has not come in time. */
  expect(commands: number, done: (answer: Answer) => void): void {
    const expected: Expected = {
      ...{ open: commands, lines: [], done },
      // What has come by then may not have been read: the thread may have been busy with something else.
      timer: setTimeout(() => setImmediate(() => this.#giveUp(expected)), TMUX_COMMAND_DEADLINE_MS),
    };
    this.#queue.push(expected);
  }

  /** A block has come. False when no command waits for one. */
  block(ok: boolean, lines: string[]): boolean {
    const [first] = this.#queue;
    if (!first) return false;
    first.open = ok ? first.open - 1 : 0;
    if (ok && first.done) first.lines.push(lines);
    if (first.open > 0) return true;
    this.#queue.shift();
    settle(first, ok ? { lines: first.lines } : { fault: lines.join('\n') || 'refused without a word' });
    return true;
  }

  /** No more will come. */
  end(fault: string): void {
    for (const expected of this.#queue.splice(0)) settle(expected, { fault });
  }

  #giveUp(expected: Expected): void {
    expected.lines = [];
    settle(expected, { fault: `no answer within ${TMUX_COMMAND_DEADLINE_MS} ms` });
  }
}

function settle(expected: Expected, answer: Answer): void {
  const { done, timer } = expected;
  expected.done = null;
  clearTimeout(timer);
  done?.(answer);
}
