import { FLEET_PART_BYTES } from '../contract/limits.js';
import type { FleetCounts } from './fleet-counts.js';
import type { Identity } from './identity.js';
import type { FleetLink } from './link.js';
import { seal, sha256 } from './signed.js';
import * as subjects from './subjects.js';
import type { AnswerHead, CallTaken, FleetAnswer } from './wire.js';

export interface RepliesOptions {
  identity: () => Identity;
  counts: FleetCounts;
}

/** What this machine says to requests of other machines, by the link; without one it says nothing. */
export class Replies {
  readonly #options: RepliesOptions;
  link: FleetLink | undefined;

  constructor(options: RepliesOptions) {
    this.#options = options;
  }

  /** Ends the sender's wait for a reply to a request that is answered. Unsigned, so it proves nothing. */
  received(replyTo: string | undefined): void {
    if (replyTo !== undefined) this.link?.publish(replyTo, [new Uint8Array()]);
  }

  /**
   * Says whether a request was taken. That goes the way of answers, too: the hub forgets which replies it lets pass
   * whenever it reads its configuration anew.
   */
  confirm(to: string, replyTo: string | undefined, taken: CallTaken): void {
    const identity = this.#options.identity();
    const packet = seal(identity, 'taken', taken);
    if (replyTo !== undefined) this.link?.publish(replyTo, [packet]);
    this.link?.publish(subjects.answer(to, identity.machineId, taken.id), [packet], true);
  }

  /** Sends an answer: its signed head, and the parts of its body. Resolves once the hub has them, or will have them soon. */
  async answer(to: string, id: string, { status, headers, body }: FleetAnswer): Promise<void> {
    const identity = this.#options.identity();
    this.#options.counts.sentBytes += body.length;
    const head: AnswerHead = { id, status, headers, bytes: body.length, hash: sha256(body) };
    const parts: Uint8Array[] = [seal(identity, 'answer', head)];
    for (let at = 0; at < body.length; at += FLEET_PART_BYTES)
      parts.push(Uint8Array.from(body.subarray(at, at + FLEET_PART_BYTES)));
    await this.link?.answer(subjects.answer(to, identity.machineId, id), parts);
  }
}
