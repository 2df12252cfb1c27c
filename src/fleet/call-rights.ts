import { DomainError } from '../contract/errors.js';
import type { Right } from '../contract/fleet-machines.js';
import { MAX_FLEET_ANSWER_BYTES } from '../contract/limits.js';
import { failure, onlyShown } from './answers.js';
import { Approvals } from './approvals.js';
import type { Consents } from './consents.js';
import { covers, grantsOf, missingRight, type Peer, type PinnedGrant, unasked } from './rights.js';
import type { Needed } from './routes.js';
import { needOf } from './streams/stream-routes.js';
import { bodyOf, type CallRequest, type FleetAnswer } from './wire.js';

type Labels = Readonly<Record<string, string>>;

/** A request that the grants allowed when it came. */
export interface AllowedCall {
  peer: Peer;
  call: CallRequest;
  needed: Needed;
  /** Labels of the terminals that the request names, as of its beginning. */
  labels: ReadonlyMap<string, Labels | undefined>;
  /** A person has approved it. */
  isApproved: boolean;
  /** Grants that need no approval have allowed it, and so it ends with these, whatever others there are. */
  isUnasked: boolean;
}

export interface CallRightsOptions {
  grants: () => readonly PinnedGrant[];
  /** Returns the labels of a terminal; undefined if there is none. */
  labelsOf: (id: string) => Labels | undefined;
  /** Returns the machine that has begun a run here, undefined if none has, and the terminals of the run. */
  runOf: (runId: string) => { machineId: string | undefined; terminalIds: readonly string[] };
  /** People who approve requests. */
  consents: Pick<Consents, 'ask'>;
}

/** Checks the requests of other machines against this machine's grants, as they are at each moment. */
export class CallRights {
  readonly #options: CallRightsOptions;
  readonly #approved = new Approvals();

  constructor(options: CallRightsOptions) {
    this.#options = options;
  }

  /** Returns the grants of a machine that hold now. */
  held(peer: Peer): PinnedGrant[] {
    return grantsOf(this.#options.grants(), peer, Date.now());
  }

  /** Returns the request and the rights that it needs; if the machine lacks them, returns the error not-granted. */
  allowed(peer: Peer, call: CallRequest): AllowedCall | DomainError {
    const needed = this.#needOf(peer, call);
    if (!needed) return new DomainError('not-granted', 'not granted: no machine may do this at another one');
    const ids = needed.need.reach === 'all' ? [] : needed.need.reach;
    const labels = new Map(ids.map((id) => [id, this.#options.labelsOf(id)]));
    const allowed = { peer, call, needed, labels, isApproved: false, isUnasked: false };
    const missing = this.missing(allowed);
    const details = { needs: missing };
    return missing === undefined ? allowed : new DomainError('not-granted', undefined, { details });
  }

  /** Waits for a person's approval, if the grants behind a request need it. Rejects as {@link Consents.ask} does. */
  async consent(allowed: AllowedCall, signal: AbortSignal): Promise<void> {
    const { peer, call, needed } = allowed;
    const { need } = needed;
    const { labelsOf, consents } = this.#options;
    // Finding a terminal does nothing in it: a person is asked about what the machine then does there.
    if (need.isAnyEnough) return;
    const own = this.held(peer);
    allowed.isUnasked = missingRight(unasked(own), need, labelsOf) === undefined;
    if (allowed.isUnasked) return;
    const { method, url } = call;
    const before = this.#approved.of(peer, call);
    if (!before.isApproved) {
      await consents.ask({ peer, method, url, body: bodyOf(call), need, grants: own }, signal);
      before.approve();
    }
    allowed.isApproved = true;
  }

  /** Returns the right that a request lacks by now. A terminal that has gone meanwhile counts with its earlier labels. */
  missing({ peer, needed, labels, isUnasked }: AllowedCall): Right | undefined {
    const held = this.held(peer);
    const counted = isUnasked ? unasked(held) : held;
    return missingRight(counted, needed.need, (id) => this.#options.labelsOf(id) ?? labels.get(id));
  }

  /** Returns the part of an answer that the machine may see: a grant may have ended while the request was in work. */
  shown(allowed: AllowedCall, answer: FleetAnswer): FleetAnswer {
    if (this.missing(allowed) !== undefined) return grantEnded();
    if (answer.body.length > MAX_FLEET_ANSWER_BYTES)
      return failure(new DomainError('internal', 'The answer is larger than 16 MiB, which a machine takes'));
    const { lists } = allowed.needed;
    if (lists === undefined || answer.status !== 200) return answer;
    const { labelsOf } = this.#options;
    const held = this.held(allowed.peer);
    // A list that no person has approved omits the terminals that need a person's approval.
    const observing = (allowed.isApproved ? held : unasked(held)).filter(({ can }) =>
      can.includes('observe'),
    );
    if (observing.some(({ terminals }) => terminals === '*')) return answer;
    return onlyShown(answer, lists, (id) => observing.some((grant) => covers(grant, id, labelsOf(id))));
  }

  /**
   * Returns the rights that a request needs. For the result of a run that the machine began, any right to run is enough; to
   * cancel it types into its terminals.
   */
  #needOf(peer: Peer, call: CallRequest): Needed | undefined {
    const needed = needOf(call.method, call.url, bodyOf(call));
    const { runId } = needed ?? {};
    if (!needed || runId === undefined) return needed;
    const { machineId, terminalIds } = this.#options.runOf(runId);
    const reach = call.method === 'GET' ? [] : terminalIds;
    return machineId === peer.machineId ? { ...needed, need: { ...needed.need, reach } } : needed;
  }
}

/** Returns the answer to a request whose grant has ended while it was in work. */
export function grantEnded(): FleetAnswer {
  return failure(new DomainError('not-granted', 'not granted: the grant has ended meanwhile'));
}
