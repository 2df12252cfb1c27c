import type { Steps } from './bench.js';

/** Where progress goes: stderr. */
interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Writes the progress of a run: a line that is drawn over in a terminal, and a line for each round elsewhere. */
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
    // A log has a line for each round; which side is measured is worth a look, not a line.
    const turn = side === undefined || !this.#screen.isTTY ? '' : `, ${side}`;
    this.#show(`${where}round ${round} of ${rounds}${turn}`);
  }

  note(text: string): void {
    this.#show(text);
  }

  /** The case is over; `text` says how. */
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
