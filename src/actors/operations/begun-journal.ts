import { z } from 'zod';
import type { Journal, JournalLine } from '../../store/journal.js';
import { KeptOperation } from './kept-operation.js';

/** An operation that has begun. */
const Begun = z.object({ name: z.string(), kept: KeptOperation.omit({ kind: true }) });
type Begun = z.infer<typeof Begun>;

export type OpenJournal = Pick<Journal, 'found' | 'add' | 'blank' | 'clear'>;

/** The journal of the operations that have begun, and whose records the store does not have yet. */
export class BegunJournal {
  readonly #journal: OpenJournal;
  /** Ids of the operations that are not in the store yet. */
  readonly #unstored = new Set<string>();
  /** Lines by the ids of their operations. */
  readonly #lines = new Map<string, JournalLine>();

  constructor(journal: OpenJournal) {
    this.#journal = journal;
  }

  /**
   * Returns the operations that an earlier service has left; the store may have them, too. Each one counts as not stored
   * until {@link done}.
   */
  found(): Begun[] {
    return this.#journal.found.flatMap((line) => {
      const begun = begunOf(line);
      if (!begun) return [];
      this.#note(begun.kept.id, line);
      return [begun];
    });
  }

  /**
   * Notes that an operation begins. Returns false if the journal is full; then only a commit of the store counts. Throws the
   * system's error.
   */
  begun(name: string, kept: Begun['kept']): boolean {
    const line = this.#journal.add(JSON.stringify({ name, kept } satisfies Begun));
    if (line) this.#note(kept.id, line);
    return line !== undefined;
  }

  /** Call once an operation is dropped, so that its line does not bring it back. Throws the system's error. */
  dropped(id: string): void {
    const line = this.#lines.get(id);
    if (line) this.#journal.blank(line);
    this.done(id);
  }

  /** Call once the store has this operation. Throws the system's error. */
  done(id: string): void {
    if (!this.#unstored.delete(id) || this.#unstored.size > 0) return;
    this.#journal.clear();
    this.#lines.clear();
  }

  #note(id: string, line: JournalLine): void {
    this.#unstored.add(id);
    this.#lines.set(id, line);
  }
}

/** Returns undefined for a blank line, and for any bytes that a machine leaves when it loses its power. */
function begunOf({ text }: JournalLine): Begun | undefined {
  try {
    return Begun.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
