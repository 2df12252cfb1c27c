/** Taken output is confirmed to the pty host in steps of this size, a quarter of MAX_UNCONFIRMED_BYTES. */
const CONFIRM_EVERY_BYTES = 256 * 1024;

export interface ConfirmationsOptions {
  /** Sends an answer of the screen to a query of the program. */
  reply: (data: string) => void;
  /** Called once everything up to `position` is taken in and queries in it are answered. */
  confirm: (position: number) => void;
}

/** Confirms taken output to the pty host, so that no query is answered twice when another shard takes over. */
export class Confirmations {
  /** Position up to which the previous shard of this terminal answered queries. */
  readonly answered: number;
  readonly #options: ConfirmationsOptions;
  #confirmed: number;
  #hasReplied = false;

  /** @param confirmed - position up to which output is confirmed */
  constructor(options: ConfirmationsOptions, confirmed: number) {
    this.#options = options;
    this.#confirmed = confirmed;
    this.answered = confirmed;
  }

  /** Sends an answer to a query at this position, unless it was answered before. */
  reply(data: string, position: number): void {
    if (position < this.answered) return;
    this.#hasReplied = true;
    this.#options.reply(data);
  }

  /** Call when all output up to `position` is taken and queries in it are answered. */
  took(position: number): void {
    if (!this.#hasReplied && position - this.#confirmed < CONFIRM_EVERY_BYTES) return;
    this.#hasReplied = false;
    this.#confirmed = position;
    this.#options.confirm(position);
  }
}
