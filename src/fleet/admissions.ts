import { randomBytes } from 'node:crypto';
import { DomainError } from '../contract/errors.js';
import type { JoinRequest, Right } from '../contract/fleet-machines.js';
import { MAX_FLEET_MACHINES } from '../contract/limits.js';
import { fingerprintOf } from './certificate.js';
import type { FleetEvents } from './fleet-events.js';
import { withGiven } from './grants.js';
import { GuestTurns } from './guest-turns.js';
import { type Identity, machineIdOf } from './identity.js';
import type { Invites } from './invites.js';
import type { FleetLink, FleetMessage } from './link.js';
import { type HubMessage, JoinMessage, memberOf, saidBy, wordsOf } from './pairing-messages.js';
import { seal, sha256, unchecked, unseal } from './signed.js';
import { type FleetFacts, type FleetState, type KnownMachine, ownServerOf } from './state.js';

/** A machine in conversation with the hub. An invitation has one conversation at a time: the next replaces it. */
interface Candidate {
  hello: Extract<JoinMessage, { step: 'hello' }>;
  hubNonce: string;
  /** Commitments of this invitation's earlier conversations, and of this one: each begins one. */
  commitments: readonly string[];
  as: string | undefined;
  give: Right[] | undefined;
  confirmed: boolean;
  /** Set once the guest has revealed the nonce that it had committed to. */
  request?: JoinRequest;
  isDenied?: boolean;
  isAdmitted?: boolean;
}

export interface AdmissionsOptions {
  identity: () => Identity;
  state: FleetState;
  invites: Invites;
  deviceName: () => string;
  events: () => FleetEvents;
  /** Has the hub admit the machines and guests as they are now. */
  apply: () => Promise<void>;
  /** Called with each machine that was admitted, and has the rights of its invitation. */
  onAdmitted: (machine: KnownMachine) => void;
  onFault: (error: unknown) => void;
}

/** At the hub: the machines that ask to join. A machine is admitted only by a person's approval or by its invitation. */
export class Admissions {
  readonly #options: AdmissionsOptions;
  /** A greeting that is sent again while the first one is being handled must not begin another conversation. */
  readonly #turns = new GuestTurns();
  readonly #candidates = new Map<string, Candidate>();
  /** Invitations whose machines the server is about to admit. */
  readonly #admitting = new Set<string>();
  /** Requests that were announced by an event and are not answered yet: the machine by the id of the request. */
  readonly #told = new Map<string, string>();

  constructor(options: AdmissionsOptions) {
    this.#options = options;
  }

  list(): JoinRequest[] {
    return this.#waiting().map(([, { request }]) => request);
  }

  /** Forgets all conversations. */
  clear(): void {
    this.#candidates.clear();
    this.#told.clear();
  }

  /** Emits an event for each new request to join, and for each request that has ended, with the caller's `decision`. */
  look(decision: 'approved' | 'denied' | 'ended' = 'ended'): void {
    const [events, waiting] = [this.#options.events(), this.list()];
    for (const [id, machineId] of this.#told) {
      if (waiting.some((request) => request.id === id)) continue;
      this.#told.delete(id);
      events.emit({ type: 'join.answered', data: { id, machineId, decision } });
    }
    for (const request of waiting) {
      if (this.#told.has(request.id)) continue;
      this.#told.set(request.id, request.machineId);
      events.emit({ type: 'join.asked', data: request });
    }
  }

  /** Takes a message of a guest, and replies by the link. */
  onJoin({ from: inviteId, data, replyTo }: FleetMessage, link?: Pick<FleetLink, 'publish'>): void {
    const { state, invites, onFault } = this.#options;
    const isOurs = !state.facts || ownServerOf(state.facts) !== undefined;
    const said = isOurs ? { packet: data } : saidBy(inviteId, invites.guestKeyOf(inviteId), data);
    if (!said) return;
    this.#turns
      .run(inviteId, () => this.#reply(inviteId, said.packet))
      .then(async (reply) => {
        if (!reply || replyTo === undefined) return;
        const content = said.id === undefined ? reply : { ...reply, re: said.id };
        link?.publish(replyTo, [seal(this.#options.identity(), 'join', content)]);
        await this.#admitConfirmed(inviteId);
      })
      .catch(onFault);
  }

  /** Admits a machine; resolves with it once the hub lets it connect. Rejects with request-not-found, fleet-failed. */
  async approve(id: string): Promise<KnownMachine> {
    return this.#admit(...this.#find(id));
  }

  /** Refuses a machine; its invitation admits no other. Rejects with request-not-found. */
  async deny(id: string): Promise<void> {
    const [inviteId, candidate] = this.#find(id);
    candidate.isDenied = true;
    this.look('denied');
    await this.#options.invites.spend(inviteId);
  }

  /** Returns the candidates that wait for a person. An invitation that has ended admits nobody. */
  #waiting(): [string, Candidate & { request: JoinRequest }][] {
    return [...this.#candidates].flatMap(([inviteId, candidate]) => {
      const { request, isDenied } = candidate;
      if (!request || isDenied || candidate.confirmed || !this.#options.invites.isOpen(inviteId)) return [];
      return [[inviteId, candidate as Candidate & { request: JoinRequest }]];
    });
  }

  #find(id: string): [string, Candidate] {
    const found = this.#waiting().find(([, { request }]) => request.id === id);
    if (!found) throw new DomainError('request-not-found');
    return found;
  }

  async #reply(inviteId: string, data: Uint8Array): Promise<HubMessage | undefined> {
    const claimed = JoinMessage.safeParse(unchecked(data));
    if (!claimed.success) return undefined;
    const parsed = JoinMessage.safeParse(unseal(data, 'join', claimed.data.publicKey));
    if (!parsed.success) return undefined;
    const message = parsed.data;
    if (message.step === 'hello') return this.#hello(inviteId, message);
    const candidate = this.#candidates.get(inviteId);
    const isOwn = candidate?.hello.publicKey === message.publicKey;
    if (message.step === 'reveal' && !candidate?.request) {
      if (!candidate || !isOwn) return { state: 'ended' };
      return this.#reveal(inviteId, candidate, message.nonce);
    }
    // Not 'approved' yet: the guest would connect at once, and the server would refuse it.
    if (this.#admitting.has(inviteId)) return { state: 'waiting' };
    // Answered from the stored invitation, so also after a restart of the service.
    const user = this.#options.invites.userOf(inviteId);
    if (user !== undefined) return { state: user === machineIdOf(message.publicKey) ? 'approved' : 'ended' };
    if (!candidate || !isOwn) return { state: 'ended' };
    return { state: candidate.isDenied ? 'denied' : 'waiting' };
  }

  async #hello(inviteId: string, hello: Candidate['hello']): Promise<HubMessage> {
    const { identity, invites, state, deviceName } = this.#options;
    const facts = state.facts;
    const before = this.#candidates.get(inviteId);
    const { commitments = [] } = before ?? {};
    const greeting = ({ fleetId }: FleetFacts, nonce: string): HubMessage => {
      const { publicKey } = identity();
      return { state: 'hello', publicKey, deviceName: deviceName(), fleetId, nonce };
    };
    // On a server of others anybody may record a greeting and send it again, which must not begin another conversation.
    if (facts && before && !ownServerOf(facts) && commitments.includes(hello.commitment))
      return before.hello.commitment === hello.commitment
        ? greeting(facts, before.hubNonce)
        : { state: 'ended' };
    const invite = facts && !before?.isDenied ? await invites.begin(inviteId) : undefined;
    // The machine before this one may have been denied meanwhile.
    if (!facts || !invite || before?.isDenied) {
      this.#candidates.delete(inviteId);
      return { state: 'ended' };
    }
    const hubNonce = randomBytes(16).toString('base64url');
    const { as, give, confirmed } = invite;
    this.#candidates.set(inviteId, {
      ...{ hello, hubNonce, as, give, confirmed },
      commitments: [...commitments, hello.commitment],
    });
    this.look();
    return greeting(facts, hubNonce);
  }

  async #reveal(inviteId: string, candidate: Candidate, nonce: string): Promise<HubMessage> {
    const { identity, state } = this.#options;
    const { hello, hubNonce } = candidate;
    const { facts } = state;
    // The guest may have chosen its nonce after it saw the hub's, to get words of its choice.
    if (!facts || sha256(nonce) !== hello.commitment) {
      this.#candidates.delete(inviteId);
      return { state: 'ended' };
    }
    const own = ownServerOf(facts);
    const words = wordsOf({
      ...{ inviteId, hubNonce, guestNonce: nonce, guestKey: hello.publicKey },
      fingerprint: own ? fingerprintOf(own.certificate).toString('base64url') : facts.fleetId,
      hubKey: identity().publicKey,
    });
    candidate.request = {
      id: `ask_${randomBytes(6).toString('hex')}`,
      machineId: machineIdOf(hello.publicKey),
      deviceName: candidate.as ?? hello.deviceName,
      os: hello.os,
      words,
      askedAt: Date.now(),
    };
    this.look();
    return { state: 'waiting' };
  }

  /**
   * Admits a machine whose invitation needs no person's approval. Called after the reply is sent: when the server admits a
   * machine, it drops replies that are under way, and the guest would wait seconds for a lost reply.
   */
  async #admitConfirmed(inviteId: string): Promise<void> {
    const candidate = this.#candidates.get(inviteId);
    if (!candidate?.confirmed || !candidate.request || candidate.isAdmitted) return;
    candidate.isAdmitted = true;
    try {
      await this.#admit(inviteId, candidate);
    } catch (error) {
      // The request is then listed for a person, who can approve it again.
      Object.assign(candidate, { isAdmitted: false, confirmed: false });
      this.look();
      throw error;
    }
  }

  async #admit(inviteId: string, { hello, as, give }: Candidate): Promise<KnownMachine> {
    const { state, invites, apply, onAdmitted } = this.#options;
    const machine = memberOf(hello, as);
    this.#admitting.add(inviteId);
    try {
      await state.change((facts) => {
        // Another machine may have been admitted by it meanwhile.
        if (!invites.isOpen(inviteId)) throw new DomainError('request-not-found');
        const others = facts.machines.filter((each) => each.machineId !== machine.machineId);
        if (others.length >= MAX_FLEET_MACHINES)
          throw new DomainError('unavailable', `A fleet has at most ${MAX_FLEET_MACHINES} machines`);
        // A hub that ends here must not forget what the invitation gave.
        const changed = withGiven({ ...facts, machines: [...others, machine] }, machine, give);
        return invites.used(changed, inviteId, machine.machineId);
      });
      this.#candidates.delete(inviteId);
      this.look('approved');
      await apply();
    } finally {
      this.#admitting.delete(inviteId);
    }
    onAdmitted(machine);
    return machine;
  }
}
