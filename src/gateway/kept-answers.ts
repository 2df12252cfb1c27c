import { createHash } from 'node:crypto';
import { DomainError } from '../contract/errors.js';

/** An answer as it went out. */
export interface KeptAnswer {
  status: number;
  /** Its media type. */
  type: string;
  body: Buffer;
}

export interface KeptAnswersOptions {
  /** Answers kept, those of requests in work included; the oldest go first. */
  maxAnswers: number;
  /** Bytes of their bodies together. The newest is kept, however large. */
  maxBytes: number;
  maxMs: number;
  /** Milliseconds on a clock that is never set. */
  now: () => number;
}

interface Entry {
  /** Tells whether a request is the same one again. */
  fingerprint: string;
  answer: Promise<KeptAnswer>;
  /** Once it is there. */
  kept?: { bytes: number; at: number };
}

/** Gives the first answer to a request to each repetition of it, by a key of the client's. */
export class KeptAnswers {
  readonly #options: KeptAnswersOptions;
  readonly #inWork = new Map<string, Entry>();
  /** In the order in which they were answered. */
  readonly #answered = new Map<string, Entry>();
  #bytes = 0;

  constructor(options: KeptAnswersOptions) {
    this.#options = options;
  }

  /** Requests in work and answers kept, and the bytes of these. */
  get size(): { inWork: number; answered: number; bytes: number } {
    return { inWork: this.#inWork.size, answered: this.#answered.size, bytes: this.#bytes };
  }

  /**
   * The answer to the first request of this `scope` (method, path and key), which may be in work still. Where this
   * is the first: what is to be called with its answer. One that has failed is told to those who wait for it, and
   * not kept. Throws idempotency-key-reused where the first had another body, `unavailable` when too many are in work.
   */
  enter(scope: string, body: unknown): Promise<KeptAnswer> | ((answer: KeptAnswer) => void) {
    this.#dropOld();
    const name = hashOf(scope);
    const fingerprint = fingerprintOf(body);
    const earlier = this.#inWork.get(name) ?? this.#answered.get(name);
    if (!earlier) return this.#begin(name, fingerprint);
    if (earlier.fingerprint !== fingerprint) throw new DomainError('idempotency-key-reused');
    return earlier.answer;
  }

  #begin(name: string, fingerprint: string): (answer: KeptAnswer) => void {
    if (this.#inWork.size >= this.#options.maxAnswers)
      throw new DomainError('unavailable', 'Too many requests with an Idempotency-Key are in work');
    let tell: (answer: KeptAnswer) => void = () => {};
    const answer = new Promise<KeptAnswer>((resolve) => {
      tell = resolve;
    });
    const entry: Entry = { fingerprint, answer };
    this.#inWork.set(name, entry);
    return (answer) => {
      this.#inWork.delete(name);
      if (answer.status < 400) this.#keep(name, entry, answer.body.length);
      tell(answer);
    };
  }

  #keep(name: string, entry: Entry, bytes: number): void {
    entry.kept = { bytes, at: this.#options.now() };
    this.#answered.set(name, entry);
    this.#bytes += bytes;
    const { maxAnswers, maxBytes } = this.#options;
    for (const oldest of this.#answered.keys()) {
      const isOver = this.#inWork.size + this.#answered.size > maxAnswers || this.#bytes > maxBytes;
      if (!isOver || this.#answered.size === 1) return;
      this.#drop(oldest);
    }
  }

  #dropOld(): void {
    const before = this.#options.now() - this.#options.maxMs;
    for (const [name, { kept }] of this.#answered) {
      if (!kept || kept.at > before) return;
      this.#drop(name);
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#answered.get(name)?.kept?.bytes ?? 0;
    this.#answered.delete(name);
  }
}

/** Paths and bodies may be long; what is kept of them is not. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** Of a body after its validation: how its fields were written, and in which order, makes no difference. */
function fingerprintOf(body: unknown): string {
  return hashOf(JSON.stringify(body, (_key, value: unknown) => inOrder(value)) ?? '');
}

/** An object with its keys in order; anything else as it is. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
