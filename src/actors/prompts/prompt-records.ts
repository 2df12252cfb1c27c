import { DomainError } from '../../contract/errors.js';
import { MAX_ENDED_PROMPTS, MAX_PROMPTS, MAX_PROMPTS_PER_TERMINAL } from '../../contract/limits.js';
import type { Collection } from '../../store/store.js';
import { isOpen, type KeptPrompt } from './kept-prompt.js';

export interface PromptRecordsOptions {
  collection: Collection<KeptPrompt>;
  /** Called when a change could not be written; it is written again with the next one. */
  onFault: (error: unknown, id: string) => void;
}

export type IdAndPrompt = [id: string, record: KeptPrompt];

/** The prompts in memory and on disk, in the order in which they were queued. */
export class PromptRecords {
  readonly #options: PromptRecordsOptions;
  readonly #records: Map<string, KeptPrompt>;
  /** Records that differ from the disk. */
  readonly #dirty = new Set<string>();
  readonly #writes = new Set<Promise<void>>();
  /** Records that are being written for the first time: nobody may see or type them yet. */
  readonly #coming = new Set<KeptPrompt>();
  #last: number;

  constructor(options: PromptRecordsOptions) {
    this.#options = options;
    const stored = [...options.collection.all()].sort(([, a], [, b]) => a.n - b.n);
    this.#records = new Map(stored);
    this.#last = stored.at(-1)?.[1].n ?? 0;
  }

  get(id: string): KeptPrompt | undefined {
    return this.#records.get(id);
  }

  /** Returns the prompts that wait or are being typed. */
  open(): IdAndPrompt[] {
    return this.all().filter(([, record]) => isOpen(record));
  }

  all(): IdAndPrompt[] {
    return [...this.#records];
  }

  of(terminalId: string): IdAndPrompt[] {
    return this.all().filter(([, record]) => record.terminalId === terminalId);
  }

  /** Adds a prompt. Resolves once it is on disk; until then no list contains it. Rejects with too-many-prompts. */
  async add(id: string, make: (n: number) => KeptPrompt): Promise<void> {
    const record = make(this.#last + 1);
    const open = [...this.open().map(([, each]) => each), ...this.#coming];
    const here = open.filter(({ terminalId }) => terminalId === record.terminalId).length;
    if (open.length >= MAX_PROMPTS || here >= MAX_PROMPTS_PER_TERMINAL)
      throw new DomainError('too-many-prompts');
    this.#last = record.n;
    this.#coming.add(record);
    try {
      await this.#options.collection.put(id, record);
      this.#records.set(id, record);
    } finally {
      this.#coming.delete(record);
    }
  }

  /**
   * Makes a change that must be on disk before anything else happens, and resolves then. If it rejects, the record is
   * as before.
   */
  async put(id: string, change: Partial<KeptPrompt>): Promise<void> {
    const before = this.#records.get(id);
    if (!before) return;
    const record = { ...before, ...change };
    this.#records.set(id, record);
    try {
      await this.#options.collection.put(id, record);
    } catch (error) {
      if (this.#records.get(id) === record) this.#records.set(id, before);
      throw error;
    }
  }

  /** Changes a record. Resolves once that is written, or cannot be written now. */
  async change(id: string, change: Partial<KeptPrompt>): Promise<void> {
    const record = this.#records.get(id);
    if (!record) return;
    this.#records.set(id, { ...record, ...change });
    this.#dirty.add(id);
    const writes = [...this.#dirty].map((each) => this.#write(each));
    this.#forgetOldest();
    await Promise.all(writes);
  }

  /** Resolves once all is written, or has failed. */
  async stop(): Promise<void> {
    for (const id of [...this.#dirty]) void this.#write(id);
    await Promise.all(this.#writes);
  }

  #write(id: string): Promise<void> {
    this.#dirty.delete(id);
    const record = this.#records.get(id);
    const { collection, onFault } = this.#options;
    const write = (record ? collection.put(id, record) : collection.remove(id))
      .catch((error: unknown) => {
        onFault(error, id);
        this.#dirty.add(id);
      })
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
    return write;
  }

  #forgetOldest(): void {
    if (this.#records.size <= MAX_ENDED_PROMPTS) return;
    const ended = this.all().filter(([, record]) => !isOpen(record) && !record.isInTheWay);
    for (const [id] of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_PROMPTS))) {
      this.#records.delete(id);
      void this.#write(id);
    }
  }
}
