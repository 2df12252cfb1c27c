import { isUtf8 } from 'node:buffer';
import { FLEET_BRIEF_BYTES, FLEET_PART_BYTES } from '../contract/limits.js';
import type { FleetCounts } from './fleet-counts.js';
import type { Identity } from './identity.js';
import type { FleetLink } from './link.js';
import { type Seals, sha256 } from './signed.js';
import * as subjects from './subjects.js';
import type { AnswerHead, CallTaken, FleetAnswer } from './wire.js';

export interface RepliesOptions {
  identity: () => Identity;
  counts: FleetCounts;
}

/** Destination of the replies to a request, and how they are sealed. */
export interface Asker {
  machineId: string;
  /** Of the request. */
  id: string;
  replyTo: string | undefined;
  seals: Seals;
  /** See {@link CallRequest}. */
  brief?: boolean | undefined;
  /** See {@link AnswerHead}. */
  accept?: string | undefined;
}

/** Replies of this machine to requests of other machines, by the link; without a link, they are dropped. */
export class Replies {
  readonly #options: RepliesOptions;
  link: FleetLink | undefined;

  constructor(options: RepliesOptions) {
    this.#options = options;
  }

  /** Ends the sender's wait for a reply to a request that is answered. Without a proof, so it says nothing else. */
  received({ replyTo }: Asker): void {
    if (replyTo !== undefined) this.link?.publish(replyTo, [new Uint8Array()]);
  }

  /**
   * Reports whether a request was taken. The report is also sent on the connection for answers: the server of a hub of an
   * earlier release forgets which replies it lets pass, whenever it reloads its configuration.
   */
  confirm({ machineId, id, replyTo, seals }: Asker, taken: CallTaken): void {
    const packet = seals.seal('taken', taken);
    if (replyTo !== undefined) this.link?.publish(replyTo, [packet]);
    this.link?.publish(this.#answers(machineId, id), [packet], true);
  }

  /**
   * Sends an answer: its sealed head, and the parts of its body; or the head with the body, since each message takes turns of
   * two threads and of the hub's server. Resolves once the hub has them, or will have them soon.
   */
  async answer(
    { machineId, id, seals, brief, accept }: Asker,
    { status, headers, body }: FleetAnswer,
  ): Promise<void> {
    this.#options.counts.sentBytes += body.length;
    const isBrief = brief === true && body.length <= FLEET_BRIEF_BYTES && isUtf8(body);
    const head: AnswerHead = {
      ...{ id, status, headers, bytes: body.length, hash: sha256(body) },
      ...(isBrief && { text: body.toString() }),
      ...(accept !== undefined && { accept }),
    };
    const parts: Uint8Array[] = [seals.seal('answer', head)];
    for (let at = 0; !isBrief && at < body.length; at += FLEET_PART_BYTES)
      parts.push(Uint8Array.from(body.subarray(at, at + FLEET_PART_BYTES)));
    await this.link?.answer(this.#answers(machineId, id), parts);
  }

  #answers(to: string, id: string): string {
    return subjects.answer(to, this.#options.identity().machineId, id);
  }
}
