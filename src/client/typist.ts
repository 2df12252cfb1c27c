import { ApiError, DisconnectedError } from './errors.js';
import { pause } from './pause.js';

/** Most characters of one message to the service, far below the service's limit. */
const MAX_MESSAGE_CHARS = 64 * 1024;

/** Most characters that wait for a program that does not read; input beyond them is refused. */
const MAX_WAITING_CHARS = 4 * 1024 * 1024;

/** Pause before input is offered again to a program that does not read. */
const FULL_RETRY_MS = 50;

/** Types for a person, in order, one message at a time: input that arrives meanwhile makes the next message. */
export class Typist {
  readonly #type: (text: string) => Promise<void>;
  readonly #onRefused: (texts: number, error?: unknown) => void;
  #waiting = '';
  /** Texts that `#waiting` is made of. */
  #texts = 0;
  #typing: Promise<void> | undefined;
  #isOpen = false;

  /**
   * @param type - sends a text, and rejects with why it was not taken
   * @param onRefused - called when typed texts do not arrive, with their number: without an error they were not sent; the
   *   error is the service's refusal, or a DisconnectedError if nobody knows whether they were typed
   */
  constructor(type: (text: string) => Promise<void>, onRefused: (texts: number, error?: unknown) => void) {
    this.#type = type;
    this.#onRefused = onRefused;
  }

  /** Whether typed input can be sent; false at first. While false, input is refused, and not kept: it would arrive unseen. */
  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen;
    if (!isOpen) this.#drop();
  }

  /** Resolves once no text waits or is on its way; undefined while none does. Text may be lost if its sender goes away. */
  get typing(): Promise<void> | undefined {
    return this.#typing;
  }

  type(text: string): void {
    if (text === '') return;
    if (!this.#isOpen || this.#waiting.length + text.length > MAX_WAITING_CHARS) {
      this.#onRefused(1);
      return;
    }
    this.#waiting += text;
    this.#texts++;
    this.#typing ??= this.#typeAll();
  }

  async #typeAll(): Promise<void> {
    while (this.#waiting !== '') {
      const message = this.#waiting.slice(0, cut(this.#waiting));
      this.#waiting = this.#waiting.slice(message.length);
      // The rest of a long text counts with the message that ends it.
      const texts = this.#waiting === '' ? this.#texts : 0;
      this.#texts -= texts;
      try {
        await this.#typeUntilTaken(message);
      } catch (error) {
        // Text that has come meanwhile is not sent: after a refusal it would arrive alone.
        const isUnknown = error instanceof DisconnectedError;
        if (isUnknown) this.#onRefused(Math.max(1, texts), error);
        else this.#texts = Math.max(1, texts + this.#texts);
        this.#drop(isUnknown ? undefined : error);
      }
    }
    this.#typing = undefined;
  }

  /** Drops what waits. */
  #drop(error?: unknown): void {
    const texts = this.#texts;
    this.#waiting = '';
    this.#texts = 0;
    if (texts > 0) this.#onRefused(texts, error);
  }

  async #typeUntilTaken(message: string): Promise<void> {
    for (;;) {
      try {
        await this.#type(message);
        return;
      } catch (error) {
        const isFull = error instanceof ApiError && error.code === 'input-buffer-full';
        if (!isFull || !this.#isOpen) throw error;
        await pause(FULL_RETRY_MS);
      }
    }
  }
}

/** Returns where a message ends: not within a character. */
function cut(text: string): number {
  const isWithin = /[\ud800-\udbff]/.test(text[MAX_MESSAGE_CHARS - 1] ?? '');
  return isWithin ? MAX_MESSAGE_CHARS - 1 : MAX_MESSAGE_CHARS;
}
