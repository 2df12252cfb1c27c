import type { Mark } from './mark.js';

/** Kept of them; what stands before the first is taken for a program's. */
const MAX_STRETCHES = 4096;

/** A stretch of output, up to the next one. */
export interface Stretch {
  /** Printed by programs, or by the shell from its prompt on: with what is typed there, and what runs beside it. */
  kind: 'program' | 'prompt';
  /** Position of its first byte. */
  begin: number;
  /** Of a prompt: where what is typed begins, behind the prompt's own text. */
  inputBegin?: number;
  /** Of a prompt: what was submitted at its end; undefined where the shell has not told. */
  commandLine?: string | undefined;
}

/** Which output of a terminal its programs have printed, and which its shells with their prompts, as their marks tell. */
export class ShellStretches {
  #stretches: Stretch[];
  #commandLine: string | undefined;
  #isTold: boolean;

  /** @param isAtPrompt - at the first position that is known of; undefined where no shell has told of itself by then */
  constructor(begin: number, isAtPrompt: boolean | undefined) {
    this.#stretches = [{ kind: isAtPrompt ? 'prompt' : 'program', begin }];
    this.#isTold = isAtPrompt !== undefined;
  }

  /** Some shell has told of a prompt or a command: without that, all output is a program's. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** Takes in a mark that counts, in the order of the output. */
  take(mark: Mark): void {
    // Who types lines that tell of themselves waits for no text.
    if (mark.pid === 0) return;
    if (mark.kind === 'commandLine') this.#commandLine = mark.commandLine;
    else if (mark.kind === 'promptEnd') this.#beginInput(mark.end);
    else if (mark.kind === 'outputStart') this.#begin('program', mark.end);
    else if (mark.kind === 'promptStart' || mark.kind === 'outputEnd') this.#begin('prompt', mark.begin);
  }

  isPromptAt(position: number): boolean {
    return this.#stretches.findLast(({ begin }) => begin <= position)?.kind === 'prompt';
  }

  /** The stretches from one position up to another, in their order; the first and the last may reach beyond them. */
  between(begin: number, end: number): readonly (Stretch & { end: number })[] {
    return this.#stretches
      .map((stretch, index, all) => ({ ...stretch, end: all[index + 1]?.begin ?? Number.POSITIVE_INFINITY }))
      .filter((stretch) => stretch.end > begin && stretch.begin < end);
  }

  /** A prompt that is drawn again has begun its input before. */
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
