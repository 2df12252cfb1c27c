import { withoutQuery } from './queries.js';
import { Tokenizer } from './tokens.js';

/** Output of a program on its way to a terminal that must not answer the program's queries. */
export class UnaskingOutput {
  readonly #decoder = new TextDecoder();
  readonly #tokens = new Tokenizer();

  /** Returns the part of a piece of output that the terminal gets; a sequence waits until it is whole. */
  take(piece: Uint8Array): string {
    const text = this.#decoder.decode(piece, { stream: true });
    return this.#tokens.take(text).map(withoutQuery).join('');
  }
}
