import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../contract/errors.js';
import { FLEET_ACCEPT_MS, FLEET_ASK_MS, FLEET_INVITE_MS, FLEET_REPLY_MS } from '../contract/limits.js';
import type { Identity } from './identity.js';
import type { Door } from './join-door.js';
import { HubMessage, HubReply, type JoinMessage } from './pairing-messages.js';
import { seal, unchecked, unseal } from './signed.js';
import { connectOnce, outsideError, type SingleLink } from './single-link.js';
import * as subjects from './subjects.js';

export interface ConversationFacts {
  door: Door;
  inviteId: string;
  identity: Identity;
}

/** A guest's conversation with the hub. */
export class Conversation {
  readonly #facts: ConversationFacts;
  readonly #link: SingleLink;
  /** The key that the invitation names, or the first key that the hub has shown. */
  #hubKey: string | undefined;

  private constructor(facts: ConversationFacts, link: SingleLink) {
    this.#facts = facts;
    this.#link = link;
    this.#hubKey = facts.door.hubKey;
  }

  /** Logs in. Rejects with invite-refused, hub-unreachable; on a server of others with fleet-failed. */
  static async open(facts: ConversationFacts): Promise<Conversation> {
    const { door, inviteId } = facts;
    const inbox = subjects.guestInbox(inviteId);
    const made = await connectOnce({ server: door.server, name: `guest ${inviteId}`, inbox, calls: [] });
    if ('client' in made) return new Conversation(facts, made);
    if (!door.server.isOurs) throw outsideError(made);
    throw new DomainError(made.state === 'refused' ? 'invite-refused' : 'hub-unreachable');
  }

  /** Sends a message; resolves with the hub's reply, undefined if none came. */
  async say(message: JoinMessage, ms = FLEET_ACCEPT_MS): Promise<HubMessage | undefined> {
    const { identity, inviteId, door } = this.#facts;
    const packet = seal(identity, 'join', message);
    const id = randomBytes(16).toString('base64url');
    const signed = door.hubKey !== undefined;
    const sent = signed
      ? seal(door.guest, 'invited', { inviteId, id, packet: Buffer.from(packet).toString() })
      : packet;
    const replied = await this.#link.client.request(subjects.join(inviteId), sent, ms);
    if (replied.kind !== 'reply') return undefined;
    const claimed = HubMessage.safeParse(unchecked(replied.data));
    if (!claimed.success) return undefined;
    if (claimed.data.state === 'hello') this.#hubKey ??= claimed.data.publicKey;
    // Anything but a greeting ends it. It cannot be verified: only a greeting brings the hub's key.
    if (this.#hubKey === undefined) return { state: 'ended' };
    const content = unseal(replied.data, 'join', this.#hubKey);
    const checked = HubMessage.safeParse(content);
    // On a server of others an earlier reply could be sent again.
    if (!checked.success || (signed && HubReply.safeParse(content).data?.re !== id)) return undefined;
    const isOther = checked.data.state === 'hello' && checked.data.publicKey !== this.#hubKey;
    return isOther ? undefined : checked.data;
  }

  /** Asks until somebody has decided, or the invitation must have ended. */
  async answer(publicKey: string, signal: AbortSignal): Promise<'approved' | 'denied' | 'ended'> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    void this.#link.ended.then(over);
    signal.addEventListener('abort', over, { once: true });
    const deadline = performance.now() + FLEET_INVITE_MS;
    while (performance.now() < deadline && !isOver) {
      await Promise.race([delay(FLEET_ASK_MS), this.#link.ended]);
      // The server may lose the reply while it reads whom it admits, so wait briefly and ask again.
      const said = await this.say({ step: 'ask', publicKey }, FLEET_REPLY_MS).catch(() => undefined);
      // Without a reply the hub's service may be restarting: its stored state still holds afterwards.
      if (said && said.state !== 'waiting') return said.state === 'hello' ? 'ended' : said.state;
    }
    return 'ended';
  }

  async close(): Promise<void> {
    await this.#link.client.terminate();
  }
}
