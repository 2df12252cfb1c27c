import type { Grant, Right } from '../contract/fleet-machines.js';
import { matches, Selector } from '../contract/labels.js';

/** Terminals that a request is about: ids; or all of the service, including future ones. */
type Reach = readonly string[] | 'all';

/** The rights that a request needs; it needs each of them for all of `reach`. */
export interface Need {
  rights: readonly Right[];
  reach: Reach;
  /** Whether a single right of `rights` is enough, and no person is asked. If none is held, the first is reported as missing. */
  isAnyEnough?: boolean;
}

/** A grant with the key of its machine, so that another machine with the same id does not get it. */
export interface PinnedGrant extends Grant {
  publicKey: string;
  /** Whether a person has approved its first use. */
  approved: boolean;
}

export interface Peer {
  machineId: string;
  publicKey: string;
}

/** Returns the grants of a machine that hold at `now`, in epoch milliseconds. */
export function grantsOf(grants: readonly PinnedGrant[], peer: Peer, now: number): PinnedGrant[] {
  return grants.filter(
    ({ to, publicKey, until }) =>
      to === peer.machineId && publicKey === peer.publicKey && (until === null || Date.parse(until) > now),
  );
}

/** Returns the grants that hold without a person's approval. */
export function unasked(grants: readonly PinnedGrant[]): PinnedGrant[] {
  return grants.filter(({ ask, approved }) => ask === 'never' || (ask === 'first' && approved));
}

/** Returns whether a grant holds for a terminal with these labels. */
export function covers(
  { terminals }: Pick<Grant, 'terminals'>,
  id: string,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (terminals === '*') return true;
  if (typeof terminals !== 'string') return terminals.includes(id);
  return labels !== undefined && matches(labels, Selector.parse(terminals));
}

/**
 * Returns the first right that is missing; undefined if the machine has all that it needs. Only a grant for `*` has rights
 * to future terminals, as for creating one.
 *
 * @param grants - of this machine, as of now
 * @param labelsOf - returns the labels of a terminal; undefined if there is none
 */
export function missingRight(
  grants: readonly PinnedGrant[],
  { rights, reach, isAnyEnough = false }: Need,
  labelsOf: (id: string) => Readonly<Record<string, string>> | undefined,
): Right | undefined {
  const missing = rights.filter((right) => {
    const own = grants.filter(({ can }) => can.includes(right));
    if (reach === 'all') return !own.some(({ terminals }) => terminals === '*');
    return reach.length === 0
      ? own.length === 0
      : !reach.every((id) => own.some((grant) => covers(grant, id, labelsOf(id))));
  });
  return isAnyEnough && missing.length < rights.length ? undefined : missing[0];
}
