import type { ExecLibc } from './exec-libc.js';
import { filesOf, type KeptState } from './kept-state.js';
import { type Readopted, readHead, readTerminals } from './read-state.js';
import { StateFiles } from './state-files.js';

/** State of the program that this one replaces, or is to replace. */
export class EarlierState {
  readonly head: KeptState;
  readonly #files: StateFiles;

  private constructor(files: StateFiles) {
    this.#files = files;
    this.head = readHead(files);
  }

  /** Returns the state in the files of these descriptors, null without any. Throws if it is of another format. */
  static at(state: string | undefined, checkpoints: string | undefined): EarlierState | null {
    if (state === undefined || checkpoints === undefined) return null;
    return new EarlierState(new StateFiles(Number(state), Number(checkpoints)));
  }

  /** All descriptors that have been handed over. */
  get descriptors(): number[] {
    return [...this.#files.descriptors, ...filesOf(this.head)];
  }

  /** Hides the descriptors from the programs that this process starts. */
  own(libc: Pick<ExecLibc, 'keepOpen'>): void {
    for (const fd of this.descriptors) libc.keepOpen(fd, false);
  }

  /** Reads everything. Throws if anything is missing. */
  check(): void {
    for (const _terminal of this.terminals());
  }

  /** Yields the terminals. Can be called once, since the files are read from their beginning. */
  terminals(): Iterable<Readopted> {
    return readTerminals(this.#files, this.head);
  }

  close(): void {
    this.#files.close();
  }
}
