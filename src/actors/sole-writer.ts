import type { Principal } from '../contract/principal.js';

/**
 * The writer of all input of a terminal, as long as it is the same writer. Writes count from before they are sent, so
 * that all input that may have reached the program is known here.
 */
export class SoleWriter {
  #who: Principal | undefined;
  #areSeveral = false;

  /** The only writer so far; null if there was none, or more than one. */
  get who(): Principal | null {
    return this.#areSeveral ? null : (this.#who ?? null);
  }

  add(who: Principal): void {
    if (this.#areSeveral) return;
    const both = this.#who ? commonTo(this.#who, who) : who;
    if (both) this.#who = both;
    else this.#areSeveral = true;
  }
}

/**
 * Returns a description that fits both writers; undefined if they are of different kinds, terminals, machines or tokens.
 * Processes differ from call to call of the command line: the process is left out then.
 */
function commonTo(one: Principal, other: Principal): Principal | undefined {
  const isSame =
    one.kind === other.kind &&
    one.terminalId === other.terminalId &&
    one.machineId === other.machineId &&
    one.token?.id === other.token?.id;
  if (!isSame) return undefined;
  const { pid, verified, ...both } = other;
  return {
    verified: verified && one.verified,
    ...both,
    ...(pid !== undefined && pid === one.pid && { pid }),
  };
}
