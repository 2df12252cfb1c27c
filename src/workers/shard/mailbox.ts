import { DomainError } from '../../contract/errors.js';
import type { Need } from './screen-view.js';
import type { Steps } from './steps.js';

/** Something that changes or queries a screen. */
export type Mail<Subject> =
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'resized'; cols: number; rows: number }
  /** `answer` does a step of the answer and returns true while there is more. */
  | ({ kind: 'ask'; answer: (subject: Subject) => boolean; fail: (error: Error) => void } & Asking);

export interface Asking {
  /** Whether the shard itself asks, and not a client. */
  own: boolean;
  need: Need;
}

/** While this many questions wait at one terminal, clients' are refused. The pty host's credit bounds bytes instead. */
const MAX_QUESTIONS = 1_000;

/** The queue before one terminal's screen, in order of arrival. Bytes at its head may be taken in slices. */
export class Mailbox<Subject> {
  readonly #mail: Mail<Subject>[] = [];
  #questions = 0;
  #bytes = 0;
  /** Error that the mailbox was closed with; undefined while it is open. */
  #end: Error | undefined;

  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  get isEmpty(): boolean {
    return this.#mail.length === 0;
  }

  /** Bytes of output that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  put(mail: Mail<Subject>): void {
    if (this.#end) return;
    if (mail.kind === 'bytes') this.#bytes += mail.bytes.length;
    this.#mail.push(mail);
  }

  /**
   * Resolves with the answer, given once everything before the question is handled. Rejects a client's question with
   * `unavailable` when too many wait. The shard's own questions are never refused: they must be answered.
   */
  ask<Answer>(question: (subject: Subject) => Answer, asking: Asking): Promise<Answer> {
    return this.#ask((subject, resolve) => {
      resolve(question(subject));
      return false;
    }, asking);
  }

  /** Like `ask`, with an answer made in steps from the subject that is passed to the first step. */
  askSteps<Answer>(question: (subject: Subject) => Steps<Answer>, asking: Asking): Promise<Answer> {
    let steps: Steps<Answer> | undefined;
    return this.#ask((subject, resolve) => {
      steps ??= question(subject);
      const { done, value } = steps.next();
      if (done) resolve(value);
      return !done;
    }, asking);
  }

  #ask<Answer>(
    step: (subject: Subject, resolve: (answer: Answer) => void) => boolean,
    { own, need }: Asking,
  ): Promise<Answer> {
    if (this.#end) return Promise.reject(this.#end);
    if (!own && this.#questions >= MAX_QUESTIONS) return Promise.reject(new DomainError('unavailable'));
    this.#questions++;
    return new Promise((resolve, reject) => {
      const answer = (subject: Subject) => {
        try {
          return step(subject, resolve);
        } catch (error) {
          reject(error);
          return false;
        }
      };
      this.put({ kind: 'ask', own, need, answer, fail: reject });
    });
  }

  /** Returns the next mail without taking it. */
  peek(): Mail<Subject> | undefined {
    return this.#mail[0];
  }

  /** Takes `count` bytes from the next mail, which must be bytes. */
  takeBytes(count: number): void {
    const mail = this.#mail[0];
    if (mail?.kind !== 'bytes') throw new Error('the next message does not hold bytes');
    this.#bytes -= count;
    if (count < mail.bytes.length) mail.bytes = mail.bytes.subarray(count);
    else this.#mail.shift();
  }

  /** Takes the next mail, which must not be bytes. */
  take(): void {
    if (this.#mail.shift()?.kind === 'ask') this.#questions--;
  }

  /** Rejects every waiting and every later question with `error`, and drops the other mail. */
  close(error: Error): void {
    this.#end = error;
    for (const mail of this.#mail.splice(0)) if (mail.kind === 'ask') mail.fail(error);
    this.#questions = 0;
    this.#bytes = 0;
  }
}
