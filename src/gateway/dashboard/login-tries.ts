import { LOGIN_WINDOW_MS, MAX_LOGIN_TRIES, MAX_LOGIN_TRIES_IN_ALL } from '../../contract/limits.js';

/** Counts wrong tokens, by address and in all. Holds no more than MAX_LOGIN_TRIES_IN_ALL of them. */
export class LoginTries {
  #wrong: { at: number; address: string }[] = [];

  /** Returns the milliseconds until `address` may try again; 0 if it may now. */
  waitOf(address: string, now: number): number {
    this.#wrong = this.#wrong.filter(({ at }) => now - at < LOGIN_WINDOW_MS);
    const own = this.#wrong.filter((each) => each.address === address);
    const isFull = this.#wrong.length >= MAX_LOGIN_TRIES_IN_ALL;
    const oldest = own.length >= MAX_LOGIN_TRIES ? own[0] : isFull ? this.#wrong[0] : undefined;
    return oldest === undefined ? 0 : oldest.at + LOGIN_WINDOW_MS - now;
  }

  /** Notes a wrong token of an address that {@link waitOf} had let try. */
  note(address: string, now: number): void {
    this.#wrong.push({ at: now, address });
  }
}
