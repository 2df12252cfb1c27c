import type { Logger } from 'pino';
import type { Shelf } from '../../store/store.js';
import { BegunJournal, type OpenJournal } from './begun-journal.js';
import {
  answerRecordId,
  type KeptAnswer,
  type KeptOperation,
  OPERATIONS,
  type OperationRecord,
  operationRecordId,
  recordsOf,
} from './kept-operation.js';

export interface OperationStoreParts {
  shelf: Shelf<OperationRecord>;
  /** Survives the death of the service before the shelf has its records. */
  journal: OpenJournal;
  logger: Pick<Logger, 'error'>;
}

/** What is kept of operations for the next service: in the store and, until the store has it, in the journal. */
export class OperationStore {
  readonly #shelf: Shelf<OperationRecord>;
  readonly #journal: BegunJournal;
  readonly #logger: Pick<Logger, 'error'>;

  constructor({ shelf, journal, logger }: OperationStoreParts) {
    this.#shelf = shelf;
    this.#journal = new BegunJournal(journal);
    this.#logger = logger;
  }

  /**
   * Returns the operations of earlier services by their names, in the order in which they began or were answered. Call this
   * once, before anything is written: it also brings what only the journal has into the store.
   *
   * @param now - milliseconds on the clock of `hrMs`
   */
  load(now: number): ReadonlyMap<string, KeptOperation> {
    const all = this.#stored();
    for (const { name, kept } of this.#journal.found()) {
      if (all.get(name)?.id === kept.id) this.#inJournal(() => this.#journal.done(kept.id));
      else {
        all.set(name, kept);
        this.note(name, kept);
      }
    }
    const sorted = [...all]
      // A time ahead of the clock means that the machine has restarted since, which resets the clock.
      .map(([name, kept]) => [name, { ...kept, at: Math.min(kept.at, now) }] as const)
      .sort(([, one], [, other]) => one.at - other.at);
    return new Map(sorted);
  }

  answerOf(name: string): KeptAnswer | undefined {
    const record = this.#shelf.get(answerRecordId(name));
    return record?.kind === 'answer' ? record : undefined;
  }

  /** Resolves once an operation that begins is known to the next service. Rejects if it could not be written. */
  async begin(name: string, kept: KeptOperation): Promise<void> {
    const stored = this.#write(name, kept);
    const isNoted = this.#inJournal(() => this.#journal.begun(name, kept));
    if (isNoted) this.#told(stored, 'an Idempotency-Key is only in the journal');
    else await stored;
  }

  /** Keeps the answer of an operation. Rejects if it could not be written. */
  end(name: string, kept: KeptOperation, answer: KeptAnswer): Promise<void> {
    return this.#write(name, kept, { answer });
  }

  /** Keeps what has changed of an operation. With `joins`, it is written together with the next write to the store. */
  note(name: string, kept: KeptOperation, { joins = false } = {}): void {
    this.#told(this.#write(name, kept, { joins }), 'what an Idempotency-Key has done could not be noted');
  }

  /** Removes operations, and their answers. */
  remove(operations: readonly { name: string; id: string }[]): void {
    if (operations.length === 0) return;
    for (const { id } of operations) this.#inJournal(() => this.#journal.dropped(id));
    const remove = operations.flatMap(({ name }) => [operationRecordId(name), answerRecordId(name)]);
    const removed = this.#shelf.write({ clear: [], remove, put: new Map() });
    this.#told(removed, 'old answers could not be removed');
  }

  #stored(): Map<string, KeptOperation> {
    const stored = new Map<string, KeptOperation>();
    for (const id of this.#shelf.ids(OPERATIONS)) {
      const record = this.#shelf.get(id);
      if (record?.kind !== 'operation') continue;
      const { kind: _, ...kept } = record;
      stored.set(id.slice(OPERATIONS.length), kept);
    }
    return stored;
  }

  async #write(
    name: string,
    kept: KeptOperation,
    { answer, joins = false }: { answer?: KeptAnswer; joins?: boolean } = {},
  ): Promise<void> {
    const put = recordsOf(name, kept, answer);
    await this.#shelf.write({ clear: [], remove: [], put }, { joins });
    this.#inJournal(() => this.#journal.done(kept.id));
  }

  /** Does something with the journal. A fault of its file is logged, and undefined is returned: the store counts then. */
  #inJournal<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (err) {
      this.#logger.error({ err }, 'the journal of Idempotency-Keys has failed');
      return undefined;
    }
  }

  /** Logs the failure of a write that nobody waits for. */
  #told(write: Promise<void>, message: string): void {
    write.catch((err: unknown) => this.#logger.error({ err }, message));
  }
}
