import { DomainError } from '../../contract/errors.js';
import type { Need } from './screen-view.js';
import type { Steps } from './steps.js';

/** What may change or question a screen, in the order it arrived. */
export type Mail<Subject> =
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'resized'; cols: number; rows: number }
  /** `answer` does a step of the answer; true while there is more. */
  | ({ kind: 'ask'; answer: (subject: Subject) => boolean; fail: (error: Error) => void } & Asking);

export interface Asking {
  /** A question of the shard itself. */
  own: boolean;
  need: Need;
}

/** Questions that may wait at one terminal. Bytes are bounded by the pty host's credit instead. */
const MAX_QUESTIONS = 1_000;

/** The queue before one terminal's screen. Bytes at its head may be taken in slices. */
export class Mailbox<Subject> {
  #mail: Mail<Subject>[] = [];
  #head = 0;
  #questions = 0;
  #bytes = 0;
  /** Why nothing is taken in any more. */
  #end: Error | undefined;

  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  get isEmpty(): boolean {
    return this.#head === this.#mail.length;
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
   * Resolves with the answer given once everything before the question has been dealt with. Only clients'
   * questions are bounded: the shard's own come one at a time, and must be answered.
   */
  ask<Answer>(question: (subject: Subject) => Answer, asking: Asking): Promise<Answer> {
    return this.#ask((subject, resolve) => {
      resolve(question(subject));
      return false;
    }, asking);
  }

  /** Likewise with an answer that is made in steps, of the subject as it is at the first. */
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

  /** The next mail. */
  peek(): Mail<Subject> | undefined {
    return this.#mail[this.#head];
  }

  /** Takes so many bytes from the mail of bytes that is next. */
  takeBytes(count: number): void {
    const mail = this.#mail[this.#head];
    if (mail?.kind !== 'bytes') throw new Error('the next mail is not of bytes');
    this.#bytes -= count;
    if (count < mail.bytes.length) mail.bytes = mail.bytes.subarray(count);
    else this.#advance();
  }

  /** Takes the next mail, which is none of bytes. */
  take(): void {
    if (this.#mail[this.#head]?.kind === 'ask') this.#questions--;
    this.#advance();
  }

  #advance(): void {
    this.#head++;
    if (this.#head === this.#mail.length || this.#head > 1_024) {
      this.#mail = this.#mail.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Ends every waiting question with `error`, as well as those that come later, and drops the rest. */
  close(error: Error): void {
    this.#end = error;
    for (const mail of this.#mail.slice(this.#head)) if (mail.kind === 'ask') mail.fail(error);
    this.#mail = [];
    this.#head = 0;
    this.#questions = 0;
    this.#bytes = 0;
  }
}
