/** An answer that differs from the expected answer. */
export class WrongAnswer extends Error {}

/** Characters that are shown of both texts before and after their first difference. */
const SHOWN_BEFORE = 60;
const SHOWN_AFTER = 160;

/** Throws WrongAnswer unless both values have the same JSON. */
export function expectSame(what: string, answer: unknown, expected: unknown): void {
  const [got, wanted] = [JSON.stringify(answer) ?? 'nothing', JSON.stringify(expected) ?? 'nothing'];
  if (got === wanted) return;
  let same = 0;
  while (got[same] === wanted[same]) same++;
  const shown = (text: string) => text.slice(Math.max(0, same - SHOWN_BEFORE), same + SHOWN_AFTER);
  throw new WrongAnswer(`${what}: ${shown(got)}, expected ${shown(wanted)}`);
}

/** Counts actions, wrong answers and errors. */
export class Tally {
  readonly #report: (text: string) => void;
  readonly #done = new Map<string, { count: number; longestMs: number }>();
  wrong = 0;
  errors = 0;

  /** @param report - called with each wrong answer and error */
  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  did(action: string, ms: number): void {
    const { count, longestMs } = this.#done.get(action) ?? { count: 0, longestMs: 0 };
    this.#done.set(action, { count: count + 1, longestMs: Math.max(longestMs, ms) });
  }

  /** Counts a failure: a wrong answer, or any other error. `where` says how to find the failure again. */
  failed(where: string, error: unknown): void {
    const isWrong = error instanceof WrongAnswer;
    if (isWrong) this.wrong++;
    else this.errors++;
    const text = isWrong ? error.message : error instanceof Error ? error.stack : String(error);
    this.#report(`${isWrong ? 'wrong answer' : 'error'}, ${where}: ${text}`);
  }

  get operations(): number {
    return [...this.#done.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Returns the count and the longest duration of each action, in words. */
  spell(): string {
    return [...this.#done]
      .sort(([, a], [, b]) => b.count - a.count)
      .map(([action, { count, longestMs }]) => `${action} ${count} (${(longestMs / 1000).toFixed(1)} s)`)
      .join(', ');
  }
}
