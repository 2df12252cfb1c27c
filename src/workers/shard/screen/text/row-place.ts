import type { RowList } from '../xterm/internals.js';

/** The place of a row in a list, wherever rows that come and go above move it. A marker of xterm ends with its row. */
export class RowPlace {
  #index: number;
  #isDeleted = false;

  constructor(lines: RowList, index: number) {
    this.#index = index;
    lines.onTrim((amount) => {
      if (amount > this.#index) this.#isDeleted = true;
      this.#index = Math.max(0, this.#index - amount);
    });
    lines.onInsert((rows) => {
      if (rows.index <= this.#index) this.#index += rows.amount;
    });
    lines.onDelete((rows) => {
      if (rows.index > this.#index) return;
      if (rows.index + rows.amount > this.#index) this.#isDeleted = true;
      this.#index = Math.max(rows.index, this.#index - rows.amount);
    });
  }

  /** Index of the row; if the row is deleted, of the row that has followed it. */
  get index(): number {
    return this.#index;
  }

  /** Returns whether the row is at the index. */
  isAt(index: number): boolean {
    return index === this.#index && !this.#isDeleted;
  }

  /** Makes it the place of another row. */
  set(index: number): void {
    this.#index = index;
    this.#isDeleted = false;
  }
}
