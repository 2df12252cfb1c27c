import type { Mark } from './mark.js';

/** Most ranges kept; beyond it the older half is dropped. Output before the first range belongs to no prompt. */
const MAX_STRETCHES = 4096;

/** A range of output, which ends where the next range begins. */
export interface Stretch {
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
export class ShellStretches {
  #stretches: Stretch[];
  #commandLine: string | undefined;
  #isTold: boolean;

  /** @param isAtPrompt - whether there is a prompt at `begin`; undefined if no shell has reported by then */
  constructor(begin: number, isAtPrompt: boolean | undefined) {
    this.#stretches = [{ kind: isAtPrompt ? 'prompt' : 'program', begin }];
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
    return this.#stretches.findLast(({ begin }) => begin <= position)?.kind === 'prompt';
  }

  /** Returns the ranges between two positions, in order. The first and the last may extend beyond the positions. */
  between(begin: number, end: number): readonly (Stretch & { end: number })[] {
    return this.#stretches
      .map((stretch, index, all) => ({ ...stretch, end: all[index + 1]?.begin ?? Number.POSITIVE_INFINITY }))
      .filter((stretch) => stretch.end > begin && stretch.begin < end);
  }

  /** Keeps the first position: a prompt that is drawn again began its input earlier. */
  #beginInput(position: number): void {
    const last = this.#stretches.at(-1)!;
    if (last.kind === 'prompt') last.inputBegin ??= position;
  }

  #begin(kind: Stretch['kind'], begin: number): void {
    this.#isTold = true;
    const last = this.#stretches.at(-1)!;
    if (kind === 'program' && last.kind === 'prompt') last.commandLine = this.#commandLine;
    this.#commandLine = undefined;
    if (last.kind === kind) return;
    this.#stretches.push({ kind, begin });
    if (this.#stretches.length > MAX_STRETCHES) this.#stretches = this.#stretches.slice(-MAX_STRETCHES / 2);
  }
}
