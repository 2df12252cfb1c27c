import { randomBytes } from 'node:crypto';
import { DomainError } from '../../contract/errors.js';
import { fingerprintOf, hashOf } from './fingerprint.js';
import type { KeptAnswer, KeptOperation } from './kept-operation.js';
import { type Ending, Operation } from './operation.js';
import { OperationStore, type OperationStoreParts } from './operation-store.js';

export interface OperationsOptions extends OperationStoreParts {
  /** Operations kept, including operations in progress; the oldest go first. */
  maxOperations: number;
  /** Bytes of all their answers together. The newest answer is kept, however large. */
  maxBytes: number;
  maxMs: number;
  /** Milliseconds on the clock of `hrMs`, which runs on for as long as terminals live. */
  now: () => number;
  /** Returns whether a run is still kept. */
  isRunKept: (runId: string) => boolean;
}

/** An operation, and its answer for the requests that wait for it. */
interface Entry {
  kept: KeptOperation;
  /** The operation is on disk. */
  hasBegun: boolean;
  inWork?: Promise<KeptAnswer>;
  /** The answer, until that is on disk. */
  answer?: KeptAnswer;
}

/** Result of a request: the answer to an earlier request, or the work to do. */
export type Entered = { answer: Promise<KeptAnswer> } | { operation: Operation };

/**
 * Requests that clients name by keys, so that a retry does their work once. Each repetition gets the first answer, also
 * from the next service process. A request that began and was not answered is done again under the same id.
 */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #store: OperationStore;
  /** By the hash of method, path and key; the operations that began or were answered last come last. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #inWork = 0;

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.#store = new OperationStore(options);
    for (const [name, kept] of this.#store.load(options.now())) {
      this.#entries.set(name, { kept, hasBegun: true });
      this.#bytes += kept.bytes ?? 0;
    }
    // The runs of an earlier service, which may have ended before it answered.
    for (const [name, entry] of this.#entries) this.#noteRun(name, entry);
  }

  /** Numbers of operations in progress and kept, and the bytes of their answers. */
  get size(): { inWork: number; kept: number; bytes: number } {
    return { inWork: this.#inWork, kept: this.#entries.size - this.#inWork, bytes: this.#bytes };
  }

  /** Returns the terminals of the run that a request of this `scope` has begun or joins; none if there is no such run. */
  terminalsOfRun(scope: string): readonly string[] {
    const { runId, terminalId, terminalIds = [] } = this.#entries.get(hashOf(scope))?.kept.plan ?? {};
    if (runId === undefined) return [];
    return terminalId === undefined ? terminalIds : [terminalId];
  }

  /**
   * Takes in a request of this `scope` (method, path and key). Throws key-reused if an earlier request had another
   * body, run-not-found if its run was dropped since, and `unavailable` when too many are in progress.
   */
  enter(scope: string, body: unknown): Entered {
    this.#trim();
    const name = hashOf(scope);
    const fingerprint = fingerprintOf(scope, body);
    const earlier = this.#entries.get(name);
    if (!earlier) return { operation: this.#start(name, this.#newEntry(fingerprint)) };
    if (earlier.kept.fingerprint !== fingerprint) throw new DomainError('key-reused');
    if (earlier.inWork) return { answer: earlier.inWork };
    const { runId } = earlier.kept.plan;
    if (runId !== undefined && earlier.kept.bytes !== null && !this.#options.isRunKept(runId))
      throw new DomainError(
        'run-not-found',
        'This request was carried out before, and its run is no longer kept',
      );
    const answer = this.#answerOf(name, earlier);
    return answer ? { answer: Promise.resolve(answer) } : { operation: this.#start(name, earlier) };
  }

  #newEntry(fingerprint: string): Entry {
    if (this.#inWork >= this.#options.maxOperations)
      throw new DomainError('unavailable', 'Too many requests with an Idempotency-Key are in progress');
    const id = `key_${randomBytes(9).toString('base64url')}`;
    return { kept: { id, fingerprint, at: this.#options.now(), plan: {}, bytes: null }, hasBegun: false };
  }

  #answerOf(name: string, { answer, kept }: Entry): KeptAnswer | undefined {
    if (answer) return answer;
    return kept.bytes === null ? undefined : this.#store.answerOf(name);
  }

  #start(name: string, entry: Entry): Operation {
    let tell: (answer: KeptAnswer) => void = () => {};
    entry.inWork = new Promise((resolve) => {
      tell = resolve;
    });
    this.#inWork++;
    this.#touch(name, entry);
    const { id, plan } = entry.kept;
    const isRetry = entry.hasBegun;
    return new Operation(id, isRetry ? plan : undefined, {
      begin: (plan) => this.#begin(name, entry, plan),
      end: (answer, open) => {
        delete entry.inWork;
        this.#inWork--;
        this.#end(name, entry, answer, { open, isRetry });
        tell(answer);
      },
    });
  }

  async #begin(name: string, entry: Entry, plan: KeptOperation['plan']): Promise<void> {
    entry.kept.plan = plan;
    try {
      await this.#store.begin(name, entry.kept);
    } catch (cause) {
      this.#options.logger.error({ err: cause }, 'an Idempotency-Key could not be stored');
      const message = 'The Idempotency-Key could not be stored, so nothing was done';
      throw new DomainError('unavailable', message, { cause });
    }
    entry.hasBegun = true;
  }

  /**
   * Failures are not kept. After a fault of the client, or before anything has begun, nothing was done, and a retry may
   * be another request. After a fault of the service it is unknown what was done, so the retry has to be the same
   * request, and is done under the same id; a fault of the client in that retry says nothing about what the attempt before
   * it did. A request that started a run is also done again, since the run itself holds the answer.
   */
  #end(name: string, entry: Entry, answer: KeptAnswer, { open, isRetry }: Ending): void {
    const isFailure = answer.status >= 400;
    const { runId } = entry.kept.plan;
    const isUnknown = isRetry || open !== undefined || answer.status >= 500;
    if (isFailure && !(entry.hasBegun && isUnknown)) {
      this.#drop([name]);
      return;
    }
    this.#noteRun(name, entry);
    if (open?.created) this.#note(name, entry, { plan: { ...entry.kept.plan, ...open } });
    if (isFailure || open || runId !== undefined) return;
    const bytes = Buffer.byteLength(answer.body);
    this.#bytes += bytes - (entry.kept.bytes ?? 0);
    entry.answer = answer;
    entry.kept = { ...entry.kept, at: this.#options.now(), bytes };
    this.#touch(name, entry);
    const kept = { ...entry.kept, plan: {} };
    this.#store.end(name, kept, answer).then(
      () => {
        entry.kept = kept;
        entry.hasBegun = true;
        delete entry.answer;
      },
      // The answer stays in memory.
      (err: unknown) => this.#options.logger.error({ err }, 'an answer could not be stored'),
    );
    this.#trim();
  }

  /**
   * Notes that the run of an operation has begun: once the run is dropped, a repetition must not start it again. Runs are
   * dropped only for later ones, whose writes this one joins.
   */
  #noteRun(name: string, entry: Entry): void {
    const { bytes, plan } = entry.kept;
    const isBegun = plan.runId !== undefined && this.#options.isRunKept(plan.runId);
    if (isBegun && bytes === null) this.#note(name, entry, { bytes: 0 }, { joins: true });
  }

  #note(name: string, entry: Entry, change: Partial<KeptOperation>, options = {}): void {
    entry.kept = { ...entry.kept, ...change };
    this.#store.note(name, entry.kept, options);
  }

  #touch(name: string, entry: Entry): void {
    this.#entries.delete(name);
    this.#entries.set(name, entry);
  }

  /** Drops the operations that exceed the bounds on age, number and bytes. */
  #trim(): void {
    const { maxOperations, maxBytes, maxMs, now } = this.#options;
    const before = now() - maxMs;
    const dropped: string[] = [];
    let [count, bytes] = [this.#entries.size, this.#bytes];
    for (const [name, { inWork, kept }] of this.#entries) {
      const isOver = count > maxOperations || (bytes > maxBytes && count > 1);
      if (!isOver && kept.at > before) break;
      if (inWork) continue;
      dropped.push(name);
      count--;
      bytes -= kept.bytes ?? 0;
    }
    this.#drop(dropped);
  }

  #drop(names: readonly string[]): void {
    const removed: { name: string; id: string }[] = [];
    for (const name of names) {
      const entry = this.#entries.get(name);
      if (!entry) continue;
      this.#bytes -= entry.kept.bytes ?? 0;
      this.#entries.delete(name);
      if (entry.hasBegun || entry.answer) removed.push({ name, id: entry.kept.id });
    }
    this.#store.remove(removed);
  }
}
