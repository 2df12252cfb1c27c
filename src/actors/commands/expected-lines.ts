import { MAX_COMMAND_LINE_CHARS } from '../../contract/limits.js';
import { cutTo } from '../../workers/shard/stages/mark.js';
import type { ExpectedLine } from './kept-record.js';

/** Tokens kept for another shard. Bounded, since a token may never come: the line that prints it may be interrupted. */
const MAX_EXPECTED_TOKENS = 64;

/** Lines typed between marks that carry a token, by the tokens that have not come yet. The oldest go first. */
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

  /** Removes a token that has come, and returns its line. */
  take(token: string): ExpectedLine | undefined {
    const line = this.#lines.get(token);
    this.#lines.delete(token);
    return line;
  }

  kept(): Record<string, ExpectedLine> {
    return Object.fromEntries(this.#lines);
  }
}
