import { randomBytes } from 'node:crypto';
import { DomainError } from '../contract/errors.js';
import type { Grant, GrantBody, Right } from '../contract/fleet-machines.js';
import { MAX_FLEET_GRANTS, MAX_TIMER_MS } from '../contract/limits.js';
import type { PinnedGrant } from './rights.js';
import type { FleetFacts, FleetState } from './state.js';

/**
 * Returns the facts in which a machine has what its invitation gives, and nothing else: a machine that left while the hub
 * was out of reach must not find its earlier grants when it joins again. Throws too-many-grants.
 */
export function withGiven(
  facts: FleetFacts,
  { machineId, publicKey }: { machineId: string; publicKey: string },
  give: readonly Right[] | undefined,
): FleetFacts {
  const others = facts.grants.filter(({ to }) => to !== machineId);
  if (!give) return { ...facts, grants: others };
  const body: GrantBody = { to: machineId, can: [...give], until: null, terminals: '*', ask: 'never' };
  return { ...facts, grants: withGrant(others, newGrant(body), publicKey) };
}

/** Returns a grant of these rights. */
function newGrant({ to, can, terminals, until, ask }: GrantBody): Grant {
  return {
    id: `grant_${randomBytes(6).toString('hex')}`,
    ...{ to, terminals, until, ask, can: [...new Set(can)], createdAt: Date.now() },
  };
}

/** Returns the grants with one more for the machine with this key. Throws too-many-grants. */
function withGrant(grants: readonly PinnedGrant[], grant: Grant, publicKey: string): PinnedGrant[] {
  if (grants.length >= MAX_FLEET_GRANTS) throw new DomainError('too-many-grants');
  return [...grants, { ...grant, publicKey, approved: false }];
}

/** Rights of other machines to the terminals of this one; none by default. */
export class Grants {
  readonly #state: FleetState;
  readonly #onChanged: () => void;
  #expiry: NodeJS.Timeout | undefined;

  /** @param onChanged - called after each change, and once a grant has expired, when that holds already */
  constructor(state: FleetState, onChanged: () => void) {
    this.#state = state;
    this.#onChanged = onChanged;
  }

  /** The grants, each with the key of its machine. */
  get pinned(): readonly PinnedGrant[] {
    return this.#state.facts?.grants ?? [];
  }

  /** Returns the grants, oldest first. Throws no-fleet. */
  list(): Grant[] {
    return this.#facts.grants.map(({ publicKey: _key, approved: _approved, ...grant }) => grant);
  }

  /**
   * Gives rights to a machine.
   *
   * @param publicKey - the key of that machine, which alone gets them
   */
  async add(body: GrantBody, publicKey: string): Promise<Grant> {
    const grant = newGrant(body);
    await this.#change((grants) => withGrant(grants, grant, publicKey));
    return grant;
  }

  /** Takes rights back; requests that they no longer allow have ended once this resolves. Rejects with grant-not-found. */
  async delete(id: string): Promise<void> {
    if (!this.#facts.grants.some((grant) => grant.id === id)) throw new DomainError('grant-not-found');
    await this.#change((grants) => grants.filter((grant) => grant.id !== id));
  }

  /** Notes that the first use of grants was approved. */
  async approved(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#change((grants) =>
      grants.map((grant) => (ids.includes(grant.id) ? { ...grant, approved: true } : grant)),
    );
  }

  /** Takes back all rights of a machine. */
  async deleteOf(machineId: string): Promise<void> {
    await this.#change((grants) => grants.filter(({ to }) => to !== machineId));
  }

  /** Begins to look for grants that expire. */
  start(): void {
    clearTimeout(this.#expiry);
    const now = Date.now();
    const ends = this.pinned.flatMap(({ until }) => (until === null ? [] : Date.parse(until)));
    const next = Math.min(...ends.filter((at) => at > now));
    if (next === Number.POSITIVE_INFINITY) return;
    const expired = () => {
      this.start();
      this.#onChanged();
    };
    this.#expiry = setTimeout(expired, Math.min(next - now, MAX_TIMER_MS)).unref();
  }

  stop(): void {
    clearTimeout(this.#expiry);
  }

  get #facts(): FleetFacts {
    const { facts } = this.#state;
    if (!facts) throw new DomainError('no-fleet');
    return facts;
  }

  async #change(change: (grants: readonly PinnedGrant[]) => PinnedGrant[]): Promise<void> {
    await this.#state.change((facts) => ({ ...facts, grants: change(facts.grants) }));
    this.start();
    this.#onChanged();
  }
}
