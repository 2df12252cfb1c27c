import { TMUX_COMMAND_DEADLINE_MS } from '../../../contract/limits.js';

/**
 * The lines of each command's answer; or the reason in words why some of the commands have probably not run: without an
 * answer they may have run, or may still run.
 */
export type Answer = { lines: string[][] } | { fault: string; isUnanswered?: true };

interface Expected {
  /** Number of commands of the line that have not been answered. */
  open: number;
  lines: string[][];
  /** Null when nobody waits for the answer any more: it is skipped when it comes. */
  done: ((answer: Answer) => void) | null;
  /** Takes the answer of a line that was given up. */
  late: ((answer: Answer) => void) | null;
  timer: NodeJS.Timeout;
}

/**
 * The lines of commands that tmux has not answered yet, in order. tmux answers each command of a line by a block until
 * one command fails, whose block is the line's last; a line that tmux cannot parse at all is one failure.
 */
export class ControlAnswers {
  readonly #queue: Expected[] = [];

  /**
   * Registers a line. Calls `done` once: with the answer, or with a fault if the answer does not come in time. In the latter
   * case, `late` gets the answer if it comes after all, or a fault when none will.
   */
  expect(commands: number, done: (answer: Answer) => void, late?: (answer: Answer) => void): void {
    const expected: Expected = {
      ...{ open: commands, lines: [], done, late: late ?? null },
      // An answer may have come that was not read while the thread was busy, so the event loop reads once more first.
      timer: setTimeout(() => setImmediate(() => this.#giveUp(expected)), TMUX_COMMAND_DEADLINE_MS),
    };
    this.#queue.push(expected);
  }

  /** Takes a block. Returns false when no command waits for one. */
  block(ok: boolean, lines: string[]): boolean {
    const [first] = this.#queue;
    if (!first) return false;
    first.open = ok ? first.open - 1 : 0;
    if (ok && first.done) first.lines.push(lines);
    if (first.open > 0) return true;
    this.#queue.shift();
    settle(first, ok ? { lines: first.lines } : { fault: lines.join('\n') || 'refused without a reason' });
    return true;
  }

  /** Answers all waiting lines with a fault, since no more blocks will come. */
  end(fault: string): void {
    for (const expected of this.#queue.splice(0)) settle(expected, { fault, isUnanswered: true });
  }

  #giveUp(expected: Expected): void {
    settle(expected, { fault: `no answer within ${TMUX_COMMAND_DEADLINE_MS} ms`, isUnanswered: true });
    expected.done = expected.late;
    if (!expected.late) expected.lines = [];
  }
}

function settle(expected: Expected, answer: Answer): void {
  const { done, timer } = expected;
  expected.done = null;
  clearTimeout(timer);
  done?.(answer);
}
