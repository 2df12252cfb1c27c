import type { Mark } from './mark.js';

/** Most ranges kept; beyond it the older half is dropped. Output before the first range belongs to no prompt. */
const MAX_RANGES = 4096;

/** A range of output, which ends where the next range begins. */
export interface ShellRange {
  /** Printed by programs; or from a prompt on, together with what is typed there and what background jobs print. */
  kind: 'program' | 'prompt';
  /** Position of the first byte. */
  begin: number;
  /** Of a prompt: where typed text begins, after the prompt's own text. */
  inputBegin?: number;
  /** Of a prompt: the submitted command line; undefined if the shell has not reported it. */
  commandLine?: string | undefined;
}

/** Which output of a terminal comes from programs, and which from shells at their prompts, according to their marks. */
export class ShellRanges {
  #ranges: ShellRange[];
  #commandLine: string | undefined;
  #isTold: boolean;

  /** @param isAtPrompt - whether there is a prompt at `begin`; undefined if no shell has reported by then */
  constructor(begin: number, isAtPrompt: boolean | undefined) {
    this.#ranges = [{ kind: isAtPrompt ? 'prompt' : 'program', begin }];
    this.#isTold = isAtPrompt !== undefined;
  }

  /** Whether a shell has reported a prompt or a command. If not, all output counts as a program's. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** Takes in a mark that counts. Call in the order of the output. */
  take(mark: Mark): void {
    // Typed lines that print their own marks: a caller that types these waits for no text.
    if (mark.pid === 0) return;
    if (mark.kind === 'commandLine') this.#commandLine = mark.commandLine;
    else if (mark.kind === 'promptEnd') this.#beginInput(mark.end);
    else if (mark.kind === 'outputStart') this.#begin('program', mark.end);
    else if (mark.kind === 'promptStart' || mark.kind === 'outputEnd') this.#begin('prompt', mark.begin);
  }

  isPromptAt(position: number): boolean {
    return this.#ranges.findLast(({ begin }) => begin <= position)?.kind === 'prompt';
  }

  /** Returns the ranges between two positions, in order. The first and the last may extend beyond the positions. */
  between(begin: number, end: number): readonly (ShellRange & { end: number })[] {
    return this.#ranges
      .map((range, index, all) => ({ ...range, end: all[index + 1]?.begin ?? Number.POSITIVE_INFINITY }))
      .filter((range) => range.end > begin && range.begin < end);
  }

  /** Keeps the first position: a prompt that is drawn again began its input earlier. */
  #beginInput(position: number): void {
    const last = this.#ranges.at(-1)!;
    if (last.kind === 'prompt') last.inputBegin ??= position;
  }

  #begin(kind: ShellRange['kind'], begin: number): void {
    this.#isTold = true;
    const last = this.#ranges.at(-1)!;
    if (kind === 'program' && last.kind === 'prompt') last.commandLine = this.#commandLine;
    this.#commandLine = undefined;
    if (last.kind === kind) return;
    this.#ranges.push({ kind, begin });
    if (this.#ranges.length > MAX_RANGES) this.#ranges = this.#ranges.slice(-MAX_RANGES / 2);
  }
}
