import { OPEN_LINE_QUIET_MS } from '../../../contract/limits.js';
import { hrMs } from '../../clock.js';
import { BREAK, TextStream } from '../screen/text/text-stream.js';
import type { ShellRanges } from '../stages/shell-ranges.js';
import { ProgramText } from '../waits/program-text.js';
import { LineMatches } from './line-matches.js';
import type { LineSearches } from './line-searches.js';
import type { LineSearch } from './watch-api.js';

/** The output of one terminal, as standing searches see it: the text that its programs print. */
export class WatchedOutput {
  readonly #searches: LineSearches;
  readonly #id: string;
  #program: ProgramText | undefined;
  #lines: LineMatches<LineSearch> | undefined;
  #stream = new TextStream();
  /** Version of the searches that {@link #lines} has. */
  #version = 0;
  #quiet: NodeJS.Timeout | undefined;

  constructor(searches: LineSearches, id: string) {
    this.#searches = searches;
    this.#id = id;
  }

  /** Sets the ranges of output that the terminal's shells report. */
  begin(shellRanges: ShellRanges): void {
    this.#program = new ProgramText(shellRanges);
  }

  /** @param end - position after the bytes */
  output(bytes: Uint8Array, end: number): void {
    if (this.#searches.isEmpty) {
      if (this.#lines) this.#stop();
      return;
    }
    if (this.#version !== this.#searches.version) this.#look();
    const lines = this.#lines;
    if (!lines) return;
    const matches = lines.push(this.#textOf(bytes, end));
    this.#searches.found(this.#id, matches);
    clearTimeout(this.#quiet);
    this.#quiet = lines.isWaiting ? setTimeout(() => this.#pause(), OPEN_LINE_QUIET_MS) : undefined;
  }

  /** Reports an open line as it is, since the program has ended. */
  end(): void {
    this.#pause();
    this.#stop();
    this.#searches.flush();
  }

  /** Does the same for a terminal that is closed while its program runs. */
  close(): void {
    this.#pause();
    this.#stop();
    this.#searches.forget(this.#id);
  }

  #pause(): void {
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
    if (this.#lines) this.#searches.found(this.#id, this.#lines.pause());
  }

  #stop(): void {
    clearTimeout(this.#quiet);
    this.#lines = undefined;
    this.#version = 0;
  }

  #look(): void {
    this.#version = this.#searches.version;
    const wanted = this.#searches.of(this.#id);
    if (!wanted) {
      this.#stop();
      this.#version = this.#searches.version;
      return;
    }
    if (!this.#lines) {
      // Line numbers keep rising after the death of a shard, since no program prints a line each microsecond.
      this.#lines = new LineMatches<LineSearch>(Math.floor(hrMs() * 1_000));
      this.#stream = new TextStream();
    }
    this.#lines.search(wanted);
  }

  /** Returns the text that programs have printed; all text where no shell reports its prompts. */
  #textOf(bytes: Uint8Array, end: number): string {
    const program = this.#program;
    if (!program || program.isUnknown) return this.#stream.push(bytes);
    let text = '';
    for (const portion of program.portions(bytes, end)) {
      if (portion.fresh) this.#stream = new TextStream();
      text += `${portion.fresh ? BREAK : ''}${this.#stream.push(portion.bytes)}`;
    }
    return text;
  }
}
