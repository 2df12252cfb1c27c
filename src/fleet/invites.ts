import { randomBytes } from 'node:crypto';
import { DomainError } from '../contract/errors.js';
import type { Invite, InviteBody } from '../contract/fleet-machines.js';
import {
  FLEET_INVITE_MS,
  FLEET_INVITE_TRIES,
  FLEET_SECRET_BYTES,
  MAX_FLEET_INVITES,
} from '../contract/limits.js';
import { fingerprintOf } from './certificate.js';
import { type Identity, identityOf } from './identity.js';
import { encodeInvite, encodeOutsideInvite } from './invite-code.js';
import { sha256 } from './signed.js';
import { type FleetFacts, type FleetState, type KeptInvite, ownServerOf } from './state.js';

const ID_DIGITS = 16;

/** Returns the guest's key, which is derived from an invitation's secret. */
export function guestOf(secret: Uint8Array): Identity {
  return identityOf(secret, 'guest');
}

/** Returns the id of an invitation: both sides know it by the guest's key. */
export function inviteIdOf(guest: Identity): string {
  return `inv_${Buffer.from(sha256(guest.publicKey), 'base64url').toString('hex').slice(0, ID_DIGITS)}`;
}

export interface InvitesOptions {
  state: FleetState;
  /** The setting `fleet.url`. */
  url: () => string | undefined;
  /** Has the hub admit exactly the guests of the present invitations. */
  apply: () => Promise<void>;
  /** Called once an invitation has ended. */
  onEnd: () => void;
  onFault: (error: Error) => void;
}

function without(facts: FleetFacts, id: string): FleetFacts {
  return { ...facts, invites: facts.invites.filter((each) => each.id !== id) };
}

/** The invitations of a hub. Each ends at its time, after its tries, or once a machine has joined with it. */
export class Invites {
  readonly #options: InvitesOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(options: InvitesOptions) {
    this.#options = options;
  }

  /** Follows the invitations that are left from before. */
  start(): void {
    for (const { id, expiresAt } of this.#kept) {
      // The wall clock may have been set back meanwhile.
      this.#endAfter(id, Math.min(FLEET_INVITE_MS, Math.max(0, expiresAt - Date.now())));
    }
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  /** Makes an invitation; the hub admits its guest once this resolves. Rejects with too-many-invites, fleet-failed. */
  async create({ as, give, confirmed }: InviteBody): Promise<Invite> {
    if (this.#kept.length >= MAX_FLEET_INVITES) throw new DomainError('too-many-invites');
    const facts = this.#facts;
    if (!ownServerOf(facts) && this.#options.url() === undefined)
      throw new DomainError('fleet-failed', 'The setting fleet.url names no server');
    const secret = randomBytes(FLEET_SECRET_BYTES);
    const id = inviteIdOf(guestOf(secret));
    const expiresAt = Date.now() + FLEET_INVITE_MS;
    const kept: KeptInvite = {
      ...{ id, secret: secret.toString('base64url'), expiresAt, tries: 0, confirmed },
      ...(as !== undefined && { as }),
      ...(give && { give }),
    };
    await this.#change((before) => ({ ...before, invites: [...before.invites, kept] })).catch(
      async (error: unknown) => {
        // Nobody gets its code, and no timer would end it.
        await this.#options.state.change((before) => without(before, id));
        throw error;
      },
    );
    this.#endAfter(id, FLEET_INVITE_MS);
    return { id, code: this.#codeOf(facts, secret), expiresAt };
  }

  /** Counts a conversation. Resolves with the invitation; undefined if there is none that may still be used. */
  async begin(id: string): Promise<KeptInvite | undefined> {
    const kept = this.#kept.find((each) => each.id === id);
    if (!kept || kept.usedBy !== undefined || kept.expiresAt <= Date.now()) return undefined;
    const tries = kept.tries + 1;
    // The last conversation may still be confirmed; a further one ends the invitation.
    if (tries > FLEET_INVITE_TRIES) {
      await this.end(id);
      return undefined;
    }
    await this.#put(id, tries);
    // The invitation may have admitted a machine meanwhile.
    return this.isOpen(id) ? kept : undefined;
  }

  /** Prevents further conversations; the guest can still ask for the outcome of the last one. */
  async spend(id: string): Promise<void> {
    await this.#put(id, FLEET_INVITE_TRIES);
  }

  /** Returns whether a conversation that has begun with an invitation may still be confirmed. */
  isOpen(id: string): boolean {
    const kept = this.#kept.find((each) => each.id === id);
    return kept !== undefined && kept.usedBy === undefined && kept.expiresAt > Date.now();
  }

  /** Notes the machine that has joined; others can no longer use the invitation. */
  used(facts: FleetFacts, id: string, machineId: string): FleetFacts {
    const invites = facts.invites.map((each) => (each.id === id ? { ...each, usedBy: machineId } : each));
    return { ...facts, invites };
  }

  /** Returns the public key of an invitation's guest; undefined if there is no such invitation. */
  guestKeyOf(id: string): string | undefined {
    const kept = this.#kept.find((each) => each.id === id);
    return kept && guestOf(Buffer.from(kept.secret, 'base64url')).publicKey;
  }

  /** Returns the machine that has joined with an invitation. */
  userOf(id: string): string | undefined {
    return this.#kept.find((each) => each.id === id)?.usedBy;
  }

  /** Ends the invitation of a machine that has connected with its own key. */
  async arrived(machineId: string): Promise<void> {
    const kept = this.#kept.find(({ usedBy }) => usedBy === machineId);
    if (kept) await this.end(kept.id);
  }

  /** Ends an invitation: the hub disconnects its guest. */
  async end(id: string): Promise<void> {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    if (!this.#kept.some((each) => each.id === id)) return;
    await this.#change((facts) => without(facts, id));
    this.#options.onEnd();
  }

  get #facts(): FleetFacts {
    const { facts } = this.#options.state;
    if (!facts) throw new DomainError('no-fleet');
    return facts;
  }

  get #kept(): readonly KeptInvite[] {
    return this.#options.state.facts?.invites ?? [];
  }

  #codeOf(facts: FleetFacts, secret: Buffer): string {
    const own = ownServerOf(facts);
    const { publicKey: hubKey } = facts.hub;
    if (!own) return encodeOutsideInvite({ secret, hubKey, url: this.#options.url() ?? '' });
    const { host, port, certificate } = own;
    return encodeInvite({ host, port, secret, fingerprint: fingerprintOf(certificate) });
  }

  #endAfter(id: string, ms: number): void {
    const timer = setTimeout(() => void this.end(id).catch(this.#options.onFault), ms);
    timer.unref();
    this.#timers.set(id, timer);
  }

  async #put(id: string, tries: number): Promise<void> {
    await this.#options.state.change((facts) => ({
      ...facts,
      invites: facts.invites.map((each) => (each.id === id ? { ...each, tries } : each)),
    }));
  }

  async #change(change: (facts: FleetFacts) => FleetFacts): Promise<void> {
    await this.#options.state.change(change);
    await this.#options.apply();
  }
}
