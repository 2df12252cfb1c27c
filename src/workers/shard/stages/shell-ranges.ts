import { HISTORY_BYTES } from '../../../contract/limits.js';
import type { Mark } from './mark.js';

/** Ranges are kept for this much output, more than the history ever keeps: at most 20,000, by the size of marks. */
const KEPT_BYTES = 2 * HISTORY_BYTES;

/** Least number of ranges at which older ranges are dropped. */
const MIN_DROPPED_AT = 512;

/** A range of output, which ends where the next range begins. */
export interface ShellRange {
  /** Printed by programs; or from a prompt on, together with text typed there and output of background jobs. */
  kind: 'program' | 'prompt';
  /** Position of the first byte. */
  begin: number;
  /** Of a prompt: where typed text begins, after the prompt's own text. */
  inputBegin?: number;
  /** Of a prompt: the submitted command line; undefined if the shell has not reported it. */
  commandLine?: string | undefined;
}

/** Ranges of a terminal's output that come from programs, or from shells at their prompts, according to the marks. */
export class ShellRanges {
  #ranges: ShellRange[];
  #commandLine: string | undefined;
  #isTold: boolean;
  /** Number of ranges at which older ranges are dropped next. */
  #droppedAt = MIN_DROPPED_AT;

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
    // A mark without a shell comes from a typed line that prints its own marks; its caller waits for no text.
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
    const found: (ShellRange & { end: number })[] = [];
    let rangeEnd = Number.POSITIVE_INFINITY;
    // Backwards, because most questions are about the newest output.
    for (let index = this.#ranges.length - 1; index >= 0 && rangeEnd > begin; index--) {
      const range = this.#ranges[index]!;
      if (range.begin < end) found.push({ end: rangeEnd, ...range });
      rangeEnd = range.begin;
    }
    return found.reverse();
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
    if (this.#ranges.length >= this.#droppedAt) this.#dropOld(begin - KEPT_BYTES);
  }

  /** Drops the ranges that end before a position. */
  #dropOld(position: number): void {
    const first = this.#ranges.findLastIndex(({ begin }) => begin <= position);
    if (first > 0) this.#ranges = this.#ranges.slice(first);
    this.#droppedAt = Math.max(MIN_DROPPED_AT, 2 * this.#ranges.length);
  }
}
