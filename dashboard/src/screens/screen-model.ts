import type { ScreenFrame, ScreenRun } from '../../../src/client/browser.js';

/** Screen of one terminal, built from frames. */
export class ScreenModel {
  cols = 0;
  rows = 0;
  cursor: ScreenFrame['cursor'] = [0, 0, false];
  isAlternate = false;
  isTooLarge = false;
  /** Runs of each row; a row that is missing is blank. */
  lines: ReadonlyArray<readonly ScreenRun[]> = [];
  /** Rows that have changed since they were painted, by painter; undefined means all rows. */
  readonly #changed = new Map<object, Set<number> | undefined>();

  /** Applies a frame, which builds on the previous frame. */
  apply(frame: ScreenFrame): void {
    // Left over from an earlier watch; a frame with all rows follows.
    if (frame.from !== null && this.cols === 0) return;
    const isWhole = frame.from === null || frame.cols !== this.cols || frame.rows !== this.rows;
    const lines = isWhole
      ? Array.from({ length: frame.rows }, (): readonly ScreenRun[] => [])
      : [...this.lines];
    for (const [row, runs] of frame.lines) lines[row] = runs;
    const touched = isWhole
      ? undefined
      : [...frame.lines.map(([row]) => row), this.cursor[1], frame.cursor[1]];
    this.lines = lines;
    this.cols = frame.cols;
    this.rows = frame.rows;
    this.cursor = frame.cursor;
    this.isAlternate = frame.alt;
    this.isTooLarge = frame.tooLarge === true;
    for (const [painter, rows] of this.#changed) {
      if (!touched) this.#changed.set(painter, undefined);
      else for (const row of touched) rows?.add(row);
    }
  }

  /** Returns the rows that have changed since this painter asked last; undefined for all rows. */
  takeChanged(painter: object): ReadonlySet<number> | undefined {
    const changed = this.#changed.has(painter) ? this.#changed.get(painter) : undefined;
    this.#changed.set(painter, new Set());
    return changed;
  }

  /** Forgets a painter. */
  forget(painter: object): void {
    this.#changed.delete(painter);
  }
}
