import type { Steps } from './bench.js';

/** Stream that progress is written to: stderr. */
interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Writes the progress of a run: in a terminal one line that is drawn over, elsewhere a line for each round. */
export class Progress implements Steps {
  readonly #screen: Screen;
  readonly #now: () => number;
  #case = '';
  #begunAt = 0;
  #last = '';

  /** @param now - clock in milliseconds */
  constructor(screen: Screen, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
  }

  begin(name: string, index: number, count: number): void {
    this.#case = `[${index + 1}/${count}] ${name}`;
    this.#begunAt = this.#now();
    this.#show('starts');
  }

  round(
    round: number,
    rounds: number,
    { what, side }: { what?: string | undefined; side?: string } = {},
  ): void {
    const where = what === undefined ? '' : `${what}, `;
    // Only a terminal shows the side: a log has a line for each round, not for each side.
    const turn = side === undefined || !this.#screen.isTTY ? '' : `, ${side}`;
    this.#show(`${where}round ${round} of ${rounds}${turn}`);
  }

  note(text: string): void {
    this.#show(text);
  }

  /** Reports the end of the case; `text` says how it ended. */
  end(text: string): void {
    if (this.#screen.isTTY) this.print(`${this.#case}: ${text} (${this.#elapsed()})`);
    else this.#show(text);
  }

  print(text: string): void {
    this.clear();
    this.#screen.write(`${text}\n`);
  }

  /** Clears the line in a terminal, so that other output begins at its left. */
  clear(): void {
    this.#last = '';
    if (this.#screen.isTTY) this.#screen.write('\r\x1b[K');
  }

  #show(text: string): void {
    if (text === this.#last) return;
    this.#last = text;
    const line = `${this.#case}: ${text} (${this.#elapsed()})`;
    const width = this.#screen.columns ?? 80;
    this.#screen.write(this.#screen.isTTY ? `\r\x1b[K${line.slice(0, width - 1)}` : `${line}\n`);
  }

  /** Returns the time since the case began, in words. */
  #elapsed(): string {
    const seconds = Math.round((this.#now() - this.#begunAt) / 1000);
    return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
}
