import { ApiError } from './errors.js';
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
  readonly #onRefused: (error?: unknown) => void;
  #waiting = '';
  #isTyping = false;
  #isOpen = false;

  /**
   * @param type - sends a text, and rejects with why it was not taken
   * @param onRefused - called when something that was typed is not sent, with the error if the service has refused it
   */
  constructor(type: (text: string) => Promise<void>, onRefused: (error?: unknown) => void) {
    this.#type = type;
    this.#onRefused = onRefused;
  }

  /** Whether typed input can be sent; false at first. While false, input is refused, and not kept: it would arrive unseen. */
  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen;
    if (isOpen || this.#waiting === '') return;
    this.#waiting = '';
    this.#onRefused();
  }

  type(text: string): void {
    if (text === '') return;
    if (!this.#isOpen || this.#waiting.length + text.length > MAX_WAITING_CHARS) {
      this.#onRefused();
      return;
    }
    this.#waiting += text;
    if (!this.#isTyping) void this.#typeAll();
  }

  async #typeAll(): Promise<void> {
    this.#isTyping = true;
    while (this.#waiting !== '') {
      const message = this.#waiting.slice(0, cut(this.#waiting));
      this.#waiting = this.#waiting.slice(message.length);
      try {
        await this.#typeUntilTaken(message);
      } catch (error) {
        // The connection is lost, or the terminal refuses input.
        this.#waiting = '';
        this.#onRefused(error);
      }
    }
    this.#isTyping = false;
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
