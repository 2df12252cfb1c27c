interface Waiting {
  cols: number;
  rows: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Resizes requested from the pty host that it has not reported yet. */
export class PendingResizes {
  #waiting: Waiting[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Returns whether this size was requested and not reported yet. */
  has(cols: number, rows: number): boolean {
    return this.#waiting.some((resize) => resize.cols === cols && resize.rows === rows);
  }

  /** Resolves once the pty host reports this size. */
  wait(cols: number, rows: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ cols, rows, resolve, reject });
    });
  }

  /** Matches requests by size, not one by one: the pty host merges resizes between which nothing was printed. */
  resized(cols: number, rows: number): void {
    const answered = this.#waiting.findLastIndex((resize) => resize.cols === cols && resize.rows === rows);
    for (const { resolve } of this.#waiting.splice(0, answered + 1)) resolve();
  }

  reject(reason: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }
}
