import { MAX_QUEUED_REGEX_LINES, SLOW_REGEX_REST_MS } from '../../contract/limits.js';
import type { Patterns } from '../waits/patterns.js';

/** A line on which a regular expression is tried. */
export interface RegexLine {
  watchId: string;
  terminalId: string;
  line: number;
  text: string;
}

export interface RegexLinesOptions {
  patterns: Pick<Patterns, 'match'>;
  /** Returns the expression of a watch; undefined for a watch that is gone. */
  regexOf: (watchId: string) => string | undefined;
  onMatch: (line: RegexLine) => void;
  /** Called for a line on which the expression was not tried to its end. */
  onLeftOut: (watchId: string, isTooSlow: boolean) => void;
  onFault: (error: unknown) => void;
}

/**
 * Tries regular expressions of watches on lines, one after the other, on a thread with a time limit. A line that has
 * matched does not match again if more of it comes.
 */
export class RegexLines {
  readonly #options: RegexLinesOptions;
  readonly #queue: RegexLine[] = [];
  /** The line that has matched last, by watch and terminal. */
  readonly #matched = new Map<string, number>();
  /** Times until which expressions that took too long are not tried, by watch: others would wait for each of their lines. */
  readonly #restsUntil = new Map<string, number>();
  readonly #stopping = new AbortController();
  #isRunning = false;

  constructor(options: RegexLinesOptions) {
    this.#options = options;
  }

  add(line: RegexLine): void {
    if (this.#queue.length >= MAX_QUEUED_REGEX_LINES) {
      this.#options.onLeftOut(line.watchId, false);
      return;
    }
    this.#queue.push(line);
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#work().finally(() => {
      this.#isRunning = false;
    });
  }

  /** Forgets what is known of a terminal that is gone, or of a watch. */
  forget(isGone: (watchId: string, terminalId: string) => boolean): void {
    for (const key of [...this.#matched.keys()]) {
      const [watchId = '', terminalId = ''] = key.split(' ');
      if (isGone(watchId, terminalId)) this.#matched.delete(key);
    }
    for (const watchId of [...this.#restsUntil.keys()]) {
      if (this.#options.regexOf(watchId) === undefined) this.#restsUntil.delete(watchId);
    }
  }

  stop(): void {
    this.#stopping.abort();
    this.#queue.length = 0;
  }

  async #work(): Promise<void> {
    for (let line = this.#queue.shift(); line; line = this.#queue.shift()) {
      try {
        await this.#try(line);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#options.onFault(error);
        this.#options.onLeftOut(line.watchId, false);
      }
    }
  }

  async #try(line: RegexLine): Promise<void> {
    const { patterns, regexOf, onMatch, onLeftOut } = this.#options;
    const { watchId, terminalId, text } = line;
    const key = `${watchId} ${terminalId}`;
    const regex = regexOf(watchId);
    if (regex === undefined || this.#matched.get(key) === line.line) return;
    if ((this.#restsUntil.get(watchId) ?? 0) > performance.now()) {
      onLeftOut(watchId, false);
      return;
    }
    const answer = await patterns.match(regex, [text], this.#stopping.signal);
    if (answer.kind === 'too-slow') {
      this.#restsUntil.set(watchId, performance.now() + SLOW_REGEX_REST_MS);
      onLeftOut(watchId, true);
    }
    if (answer.kind !== 'found') return;
    this.#matched.set(key, line.line);
    onMatch(line);
  }
}
