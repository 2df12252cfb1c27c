import { z } from 'zod';
import { DomainError } from '../contract/errors.js';
import type { Right } from '../contract/fleet-machines.js';
import { FLEET_CONFIRM_MS, MAX_FLEET_ANSWER_BYTES, MAX_FLEET_CALLS_EACH } from '../contract/limits.js';
import { bodyOfError, failure, onlyShown, unlessKnown } from './answers.js';
import type { Consents } from './consents.js';
import type { FleetCounts } from './fleet-counts.js';
import type { Identity } from './identity.js';
import type { FleetLink, FleetMessage } from './link.js';
import { RequestMemory } from './replay.js';
import { Replies } from './replies.js';
import { covers, grantsOf, missingRight, type Peer, type PinnedGrant, unasked } from './rights.js';
import type { Needed } from './routes.js';
import { unseal } from './signed.js';
import { needOf } from './streams/stream-routes.js';
import { bodyOf, CallRequest, type FleetAnswer, type FleetRequest } from './wire.js';

const Cancel = z.object({ id: z.string(), cancel: z.literal(true) });

type Refusal = 'epoch' | 'refused' | 'busy';

/** A request in work. */
interface Running {
  peer: Peer;
  call: CallRequest;
  needed: Needed;
  /** Of the terminals that it names, as it began. */
  labels: ReadonlyMap<string, Labels | undefined>;
  ended: AbortController;
}

type Labels = Readonly<Record<string, string>>;

export interface CallsInOptions {
  identity: () => Identity;
  /** The start of this service; requests for another one are not taken. */
  epoch: string;
  /** Returns the machine with this id. */
  peerOf: (machineId: string) => Peer | undefined;
  grants: () => readonly PinnedGrant[];
  /** Returns the labels of a terminal; undefined if there is none. */
  labelsOf: (id: string) => Labels | undefined;
  /** Returns the machine that has begun a run here. */
  beginnerOf: (runId: string) => string | undefined;
  /** Runs a request here, as one of that machine; aborting it is as if its client had gone. */
  run: (machineId: string, request: FleetRequest, signal: AbortSignal) => Promise<FleetAnswer>;
  /** Called with each request that is not taken because the machine may not send it. */
  onRefused: (machineId: string, request: Pick<CallRequest, 'method' | 'url'>, error: DomainError) => void;
  /** People who approve requests. */
  consents: Pick<Consents, 'ask'>;
  counts: FleetCounts;
  onFault: (error: unknown) => void;
}

/**
 * Requests of other machines to this one. Each is checked here, at the owner of the terminals: its signature, that it is
 * for this start and new, and the grants, as they are when it comes and when its answer goes.
 */
export class CallsIn {
  readonly #options: CallsInOptions;
  readonly #requests = new RequestMemory();
  /** Requests in work, by machine and id. */
  readonly #running = new Map<string, Running>();
  readonly #replies: Replies;

  constructor(options: CallsInOptions) {
    this.#options = options;
    this.#replies = new Replies(options);
  }

  set link(link: FleetLink | undefined) {
    this.#replies.link = link;
  }

  /** Takes a request; its answer follows. */
  onCall(message: FleetMessage): void {
    const peer = this.#options.peerOf(message.from);
    const parsed = peer && CallRequest.safeParse(unseal(message.data, 'call', peer.publicKey));
    // Not of that machine: whoever sent it learns nothing.
    if (!peer || !parsed?.success) return;
    const call = parsed.data;
    const refused = this.#refuse(peer, call);
    if (refused) {
      const { why, error } = refused;
      const { status } = error;
      if (why === 'refused') {
        this.#options.counts.refused++;
        this.#options.onRefused(peer.machineId, call, error);
      }
      this.#replies.confirm(message.from, message.replyTo, {
        ...{ taken: false, id: call.id, why, status },
        epoch: this.#options.epoch,
        body: bodyOfError(error),
      });
      return;
    }
    this.#options.counts.served++;
    this.#options.counts.receivedBytes += message.data.length;
    this.#serve(peer, call, message.replyTo).catch(this.#options.onFault);
  }

  /** Ends a request whose client has gone. */
  onCancel({ from, data }: FleetMessage): void {
    const peer = this.#options.peerOf(from);
    const parsed = peer && Cancel.safeParse(unseal(data, 'call', peer.publicKey));
    const gone = parsed?.success ? this.#running.get(keyOf(from, parsed.data.id)) : undefined;
    gone?.ended.abort();
    if (gone?.call.key === undefined) return;
    // Earlier tries of the same request, whose sender has lost them.
    for (const { peer: other, call, ended } of this.#running.values())
      if (other.machineId === from && call.key === gone.call.key) ended.abort();
  }

  /** Looks at the grants anew: requests that they no longer allow end at once, and their senders are told so. */
  look(): void {
    for (const running of this.#running.values()) {
      const { peer, call } = running;
      const isKnown = this.#options.peerOf(peer.machineId)?.publicKey === peer.publicKey;
      if (isKnown && this.#missing(running) === undefined) continue;
      running.ended.abort();
      void this.#replies.answer(peer.machineId, call.id, failure(new DomainError('not-granted', ENDED)));
    }
  }

  /** Ends all requests. */
  endAll(): void {
    for (const { ended } of this.#running.values()) ended.abort();
  }

  /** Returns why a request is not taken. Notes one that may be. */
  #refuse(peer: Peer, call: CallRequest): { why: Refusal; error: DomainError } | undefined {
    const { epoch, grants, labelsOf } = this.#options;
    const refused = (error: DomainError, why: Refusal = 'refused') => ({ why, error });
    if (call.from !== peer.machineId || call.to !== this.#options.identity().machineId)
      return refused(new DomainError('fleet-refused'));
    if (call.epoch !== epoch) return refused(new DomainError('fleet-refused'), 'epoch');
    const held = grantsOf(grants(), peer, Date.now());
    const memory = this.#requests.of(peer.machineId, held.length > 0);
    const stale = memory.note(call.id, call.at, Date.now(), performance.now());
    if (stale === 'full') return refused(new DomainError('unavailable'), 'busy');
    if (stale !== undefined) return refused(new DomainError('fleet-refused', STALE[stale]));
    const needed = this.#needOf(peer, call);
    if (!needed)
      return refused(new DomainError('not-granted', 'not granted: no machine may do this at another one'));
    const missing = missingRight(held, needed.need, labelsOf);
    if (missing !== undefined)
      return refused(new DomainError('not-granted', undefined, { details: { needs: missing } }));
    const own = [...this.#running.values()].filter((each) => each.peer.machineId === peer.machineId);
    return own.length < MAX_FLEET_CALLS_EACH ? undefined : refused(new DomainError('unavailable'), 'busy');
  }

  /** Returns what a request needs. Of a run that the machine has begun itself it gets the result by any right to run. */
  #needOf(peer: Peer, call: CallRequest): Needed | undefined {
    const needed = needOf(call.method, call.url, bodyOf(call));
    const { runId } = needed ?? {};
    if (!needed || runId === undefined) return needed;
    const isOwn = this.#options.beginnerOf(runId) === peer.machineId;
    return isOwn ? { ...needed, need: { ...needed.need, reach: [] } } : needed;
  }

  async #serve(peer: Peer, call: CallRequest, replyTo: string | undefined): Promise<void> {
    const ended = new AbortController();
    const needed = this.#needOf(peer, call);
    if (!needed) throw new Error('a request was taken that no machine may send');
    const ids = needed.need.reach === 'all' ? [] : needed.need.reach;
    const labels = new Map(ids.map((id) => [id, this.#options.labelsOf(id)]));
    const running: Running = { peer, call, ended, needed, labels };
    const key = keyOf(peer.machineId, call.id);
    this.#running.set(key, running);
    let isConfirmed = false;
    const late = setTimeout(() => {
      isConfirmed = true;
      this.#replies.confirm(peer.machineId, replyTo, { taken: true, id: call.id });
    }, FLEET_CONFIRM_MS);
    try {
      const { method, url } = call;
      // As it was read for the decision, so that no other reading of the same text decides.
      const body = call.body === undefined ? undefined : JSON.stringify(bodyOf(call));
      const request = { method, url, body, ...(call.key !== undefined && { key: call.key }) };
      await this.#consent(running);
      const answer = await this.#options.run(peer.machineId, request, ended.signal);
      const shown = unlessKnown(call, this.#shown(running, answer));
      if (!ended.signal.aborted) await this.#replies.answer(peer.machineId, call.id, shown);
    } catch (error) {
      if (ended.signal.aborted) return;
      if (!(error instanceof DomainError)) throw error;
      await this.#replies.answer(peer.machineId, call.id, failure(error));
    } finally {
      // A large answer is at the hub by now: on a slow line it may take far longer than a confirmation beside it.
      clearTimeout(late);
      // A sender that knows an earlier answer looks for this one alone.
      if (!isConfirmed && call.known === undefined) this.#replies.received(replyTo);
      this.#running.delete(key);
    }
  }

  /** Waits for a person, if the grants behind a request say so. Rejects as {@link Consents.ask}. */
  async #consent({ peer, call, needed: { need }, ended }: Running): Promise<void> {
    const { grants, labelsOf, consents } = this.#options;
    const own = grantsOf(grants(), peer, Date.now());
    if (missingRight(unasked(own), need, labelsOf) === undefined) return;
    const { method, url } = call;
    await consents.ask({ peer, method, url, body: bodyOf(call), need, grants: own }, ended.signal);
  }

  /** Returns the right that a request lacks by now. A terminal that has gone meanwhile counts with its labels. */
  #missing({ peer, needed, labels }: Running): Right | undefined {
    const grants = grantsOf(this.#options.grants(), peer, Date.now());
    return missingRight(grants, needed.need, (id) => this.#options.labelsOf(id) ?? labels.get(id));
  }

  /** Returns what of an answer the machine may see: a grant may have reached its end while the request was in work. */
  #shown(running: Running, answer: FleetAnswer): FleetAnswer {
    if (this.#missing(running) !== undefined) return failure(new DomainError('not-granted', ENDED));
    if (answer.body.length > MAX_FLEET_ANSWER_BYTES)
      return failure(new DomainError('internal', 'The answer is larger than 16 MiB, which a machine takes'));
    const { lists } = running.needed;
    if (lists === undefined || answer.status !== 200) return answer;
    const { grants, labelsOf } = this.#options;
    const own = grantsOf(grants(), running.peer, Date.now());
    const observing = own.filter(({ can }) => can.includes('observe'));
    if (observing.some(({ terminals }) => terminals === '*')) return answer;
    return onlyShown(answer, lists, (id) => observing.some((grant) => covers(grant, id, labelsOf(id))));
  }
}

const ENDED = 'not granted: the grant has ended meanwhile';
const STALE = {
  clock: 'The clocks of the two machines differ by more than five minutes',
  repeated: 'The request was sent before',
} as const;

function keyOf(from: string, id: string): string {
  return `${from} ${id}`;
}
