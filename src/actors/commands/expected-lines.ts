import { MAX_COMMAND_LINE_CHARS } from '../../contract/limits.js';
import { cutTo } from '../../workers/shard/taps/mark.js';
import type { ExpectedLine } from './kept-record.js';

/** Tokens kept for another shard: what is typed to print one may be broken off, so that it never comes. */
const MAX_EXPECTED_TOKENS = 64;

/** Lines that are typed between marks which carry a token, by the tokens that have not come; the oldest go first. */
export class ExpectedLines {
  readonly #lines: Map<string, ExpectedLine>;

  constructor(kept: Readonly<Record<string, ExpectedLine>>) {
    this.#lines = new Map(Object.entries(kept));
  }

  get size(): number {
    return this.#lines.size;
  }

  get tokens(): string[] {
    return [...this.#lines.keys()];
  }

  add(token: string, line: ExpectedLine): void {
    this.#lines.set(token, { ...line, commandLine: cutTo(line.commandLine, MAX_COMMAND_LINE_CHARS) });
    const [oldest = token] = this.#lines.keys();
    if (this.#lines.size > MAX_EXPECTED_TOKENS) this.#lines.delete(oldest);
  }

  /** The line of a token that has come. */
  take(token: string): ExpectedLine | undefined {
    const line = this.#lines.get(token);
    this.#lines.delete(token);
    return line;
  }

  kept(): Record<string, ExpectedLine> {
    return Object.fromEntries(this.#lines);
  }
}
