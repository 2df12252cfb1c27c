import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../contract/errors.js';
import type { Joining } from '../contract/fleet-machines.js';
import { FLEET_ACCEPT_MS, FLEET_ASK_MS, FLEET_CONNECT_MS, FLEET_INVITE_MS } from '../contract/limits.js';
import { FleetLinkClient } from '../workers/fleet-link/link-client.js';
import type { LinkState } from '../workers/fleet-link/protocol.js';
import { fingerprintOf, HUB_NAME } from './certificate.js';
import { fetchCertificate } from './fetch-certificate.js';
import { type Identity, machineIdOf } from './identity.js';
import { decodeInvite, type InviteCode } from './invite-code.js';
import { guestOf, inviteIdOf } from './invites.js';
import { keyOf, serverAt } from './link.js';
import { HubMessage, type JoinMessage, wordsOf } from './pairing-messages.js';
import { seal, sha256, unchecked, unseal } from './signed.js';
import type { FleetFacts } from './state.js';
import * as subjects from './subjects.js';

export interface JoinOptions {
  code: string;
  identity: Identity;
  me: { deviceName: string; os: 'windows' | 'macos' | 'linux'; version: string };
  /** Aborted when the service stops or somebody gives up. */
  signal: AbortSignal;
}

/** A machine that has shown its words and waits for the hub. */
export interface WaitingJoin {
  words: string;
  hub: Joining['hub'];
  /** Resolves with the fleet once the hub has admitted this machine; with `denied` or `ended` if it does not. */
  done: Promise<FleetFacts | 'denied' | 'ended'>;
}

/**
 * Begins to join a fleet; resolves once both machines can show the words. Rejects with invite-invalid, hub-unreachable,
 * invite-refused.
 */
export async function joinFleet({ code, identity, me, signal }: JoinOptions): Promise<WaitingJoin> {
  const invite = decodeInvite(code);
  const certificate = await certificateOf(invite);
  const guest = guestOf(invite.secret);
  const inviteId = inviteIdOf(guest);
  const conversation = await Conversation.open({ invite, guest, inviteId, certificate, identity });
  const stop = () => void conversation.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { publicKey } = identity;
    const nonce = randomBytes(16).toString('base64url');
    const hello = await conversation.say({ step: 'hello', publicKey, ...me, commitment: sha256(nonce) });
    if (hello?.state !== 'hello') throw new DomainError('invite-refused');
    const { publicKey: hubKey, deviceName, fleetId, nonce: hubNonce } = hello;
    const words = wordsOf({
      ...{ inviteId, hubNonce, hubKey, guestNonce: nonce, guestKey: publicKey },
      fingerprint: fingerprintOf(certificate).toString('base64url'),
    });
    const machineId = machineIdOf(hubKey);
    const { host, port } = invite;
    const facts: FleetFacts = {
      ...{ version: 1, role: 'member', fleetId },
      hub: { machineId, publicKey: hubKey, host, port, certificate },
      ...{ machines: [], invites: [], grants: [] },
    };
    const first = await conversation.say({ step: 'reveal', publicKey, nonce });
    // A reply may be lost with the configuration that admits this machine: the hub is asked again then.
    if (first && first.state !== 'waiting' && first.state !== 'approved')
      throw new DomainError('invite-refused');
    const done =
      first?.state === 'approved'
        ? Promise.resolve('approved' as const)
        : conversation.answer(publicKey, signal);
    return {
      ...{ words, hub: { machineId, deviceName } },
      done: done
        .then((state) => (state === 'approved' ? facts : state))
        .finally(() => {
          signal.removeEventListener('abort', stop);
          return conversation.close();
        }),
    };
  } catch (error) {
    signal.removeEventListener('abort', stop);
    await conversation.close();
    throw error;
  }
}

/** Resolves with the hub's certificate, if it is the one of the invitation. */
async function certificateOf({ host, port, fingerprint }: InviteCode): Promise<string> {
  const certificate = await fetchCertificate(host, port, FLEET_CONNECT_MS).catch((cause: unknown) => {
    throw new DomainError('hub-unreachable', `The hub at ${host}:${port} cannot be reached`, { cause });
  });
  if (!fingerprintOf(certificate).equals(fingerprint))
    throw new DomainError('invite-refused', 'Another server answers at the address of the hub');
  return certificate;
}

interface ConversationFacts {
  invite: InviteCode;
  guest: Identity;
  inviteId: string;
  certificate: string;
  identity: Identity;
}

/** What a guest and the hub say to each other. */
class Conversation {
  readonly #facts: ConversationFacts;
  readonly #client: FleetLinkClient;
  readonly #ended: Promise<unknown>;
  /** The key that the hub has shown first. */
  #hubKey: string | undefined;

  private constructor(facts: ConversationFacts, client: FleetLinkClient, ended: Promise<unknown>) {
    this.#facts = facts;
    this.#client = client;
    this.#ended = ended;
  }

  /** Logs in with the key of the invitation. Rejects with invite-refused, hub-unreachable. */
  static async open(facts: ConversationFacts): Promise<Conversation> {
    const { invite, guest, inviteId, certificate } = facts;
    let tell!: (state: LinkState) => void;
    const told = new Promise<LinkState>((resolve) => {
      tell = resolve;
    });
    let end!: () => void;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const client = new FleetLinkClient({
      servers: serverAt(invite.host, invite.port),
      ...{ certificate, serverName: HUB_NAME, key: keyOf(guest), name: `guest ${inviteId}` },
      inbox: subjects.guestInbox(inviteId),
      calls: [],
      isLasting: false,
      onState: (state) => {
        tell(state);
        if (state !== 'connected') end();
      },
      onMessage: () => undefined,
    });
    const state = await Promise.race([told, client.died]);
    if (state === 'connected') return new Conversation(facts, client, Promise.race([ended, client.died]));
    await client.terminate();
    throw new DomainError(state === 'refused' ? 'invite-refused' : 'hub-unreachable');
  }

  /** Says something; resolves with the hub's reply, undefined if none came. */
  async say(message: JoinMessage): Promise<HubMessage | undefined> {
    const { identity, inviteId } = this.#facts;
    const packet = seal(identity, 'join', message);
    const replied = await this.#client.request(subjects.join(inviteId), packet, FLEET_ACCEPT_MS);
    if (replied.kind !== 'reply') return undefined;
    const claimed = HubMessage.safeParse(unchecked(replied.data));
    if (!claimed.success) return undefined;
    if (claimed.data.state === 'hello') this.#hubKey ??= claimed.data.publicKey;
    if (this.#hubKey === undefined) return undefined;
    const checked = HubMessage.safeParse(unseal(replied.data, 'join', this.#hubKey));
    return checked.success ? checked.data : undefined;
  }

  /** Asks until somebody has decided, or the invitation must have ended. */
  async answer(publicKey: string, signal: AbortSignal): Promise<'approved' | 'denied' | 'ended'> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    void this.#ended.then(over);
    signal.addEventListener('abort', over, { once: true });
    const deadline = performance.now() + FLEET_INVITE_MS;
    while (performance.now() < deadline && !isOver) {
      await Promise.race([delay(FLEET_ASK_MS), this.#ended]);
      const said = await this.say({ step: 'ask', publicKey }).catch(() => undefined);
      // Without a reply the hub's service begins anew: what it had written down by then holds.
      if (said && said.state !== 'waiting') return said.state === 'hello' ? 'ended' : said.state;
    }
    return 'ended';
  }

  async close(): Promise<void> {
    await this.#client.terminate();
  }
}
