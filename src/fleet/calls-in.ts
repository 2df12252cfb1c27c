import { z } from 'zod';
import { DomainError } from '../contract/errors.js';
import { FLEET_CONFIRM_MS, MAX_FLEET_CALLS_EACH } from '../contract/limits.js';
import { bodyOfError, failure, unlessKnown } from './answers.js';
import { type AllowedCall, CallRights, type CallRightsOptions, grantEnded } from './call-rights.js';
import { ChannelsIn } from './channels.js';
import type { FleetCounts } from './fleet-counts.js';
import type { Identity } from './identity.js';
import type { FleetLink, FleetMessage } from './link.js';
import { RequestMemory } from './replay.js';
import { type Asker, Replies } from './replies.js';
import type { Peer } from './rights.js';
import { signatures, unchecked } from './signed.js';
import { bodyOf, CallRequest, type FleetAnswer, type FleetRequest } from './wire.js';

const Cancel = z.object({ id: z.string(), cancel: z.literal(true) });

type Refusal = 'epoch' | 'refused' | 'busy';

/** A request in work. */
interface Running {
  allowed: AllowedCall;
  asker: Asker;
  ended: AbortController;
}

export interface CallsInOptions extends CallRightsOptions {
  identity: () => Identity;
  /** The start of this service; requests for another one are not taken. */
  epoch: string;
  /** Returns the machine with this id. */
  peerOf: (machineId: string) => Peer | undefined;
  /** Runs a request here as a request of that machine; aborting it is as if its client had gone. */
  run: (machineId: string, request: FleetRequest, signal: AbortSignal) => Promise<FleetAnswer>;
  /** Called with each request that is not taken because the machine may not send it. */
  onRefused: (machineId: string, request: Pick<CallRequest, 'method' | 'url'>, error: DomainError) => void;
  counts: FleetCounts;
  onFault: (error: unknown) => void;
}

/**
 * Requests of other machines to this one. Each is checked here, at the owner of the terminals: its proof, whether it is
 * new and for this start, and the grants, both when the request arrives and when its answer leaves.
 */
export class CallsIn {
  readonly #options: CallsInOptions;
  readonly #requests = new RequestMemory();
  /** Requests that are being answered, by machine and id. */
  readonly #running = new Map<string, Running>();
  readonly #replies: Replies;
  readonly #channels: ChannelsIn;
  readonly #rights: CallRights;

  constructor(options: CallsInOptions) {
    this.#options = options;
    this.#channels = new ChannelsIn(options.identity);
    this.#rights = new CallRights(options);
    this.#replies = new Replies(options);
  }

  set link(link: FleetLink | undefined) {
    this.#replies.link = link;
  }

  /** Takes a request; its answer follows. */
  onCall(message: FleetMessage): void {
    const { data, replyTo } = message;
    const peer = this.#options.peerOf(message.from);
    if (!peer) return;
    const seals = this.#channels.sealsOf(peer, data);
    if (!seals) {
      this.#sendBack(peer, message);
      return;
    }
    const parsed = CallRequest.safeParse(seals.unseal(data, 'call'));
    // Not from that machine: the sender must learn nothing.
    if (!parsed.success) return;
    const call = parsed.data;
    const { id, brief } = call;
    const asker: Asker = { machineId: peer.machineId, id, replyTo, seals, brief };
    const admitted = this.#admit(peer, call);
    if ('why' in admitted) {
      const { why, error } = admitted;
      if (why === 'refused') {
        this.#options.counts.refused++;
        this.#options.onRefused(peer.machineId, call, error);
      }
      this.#notTaken(asker, why, error);
      return;
    }
    this.#options.counts.served++;
    this.#options.counts.receivedBytes += data.length;
    if (call.offer !== undefined) asker.accept = this.#channels.accept(peer, call.offer);
    this.#serve(admitted, asker).catch(this.#options.onFault);
  }

  /**
   * Asks the sender of a request on a channel that is not known here, as after a restart, to sign the same request. Nothing
   * proves its origin, so there is no answer if a request with this id was taken before.
   */
  #sendBack(peer: Peer, { data, replyTo }: FleetMessage): void {
    const claimed = CallRequest.safeParse(unchecked(data));
    if (!claimed.success || this.#requests.has(peer.machineId, claimed.data.id)) return;
    const seals = signatures(this.#options.identity(), peer.publicKey);
    const asker = { machineId: peer.machineId, id: claimed.data.id, replyTo, seals };
    this.#notTaken(asker, 'epoch', new DomainError('fleet-refused'));
  }

  #notTaken(asker: Asker, why: Refusal, error: DomainError): void {
    this.#replies.confirm(asker, {
      ...{ taken: false, id: asker.id, why, status: error.status },
      ...{ epoch: this.#options.epoch, body: bodyOfError(error) },
    });
  }

  /** Ends a request whose client has gone. */
  onCancel({ from, data }: FleetMessage): void {
    const peer = this.#options.peerOf(from);
    const parsed = peer && Cancel.safeParse(this.#channels.sealsOf(peer, data)?.unseal(data, 'call'));
    const gone = parsed?.success ? this.#running.get(keyOf(from, parsed.data.id)) : undefined;
    gone?.ended.abort();
    const key = gone?.allowed.call.key;
    if (key === undefined) return;
    // Also ends earlier tries of the same request, which its sender has lost. A later try may be another client's.
    for (const running of this.#running.values()) {
      if (running === gone) break;
      const { allowed, asker, ended } = running;
      if (asker.machineId === from && allowed.call.key === key) ended.abort();
    }
  }

  /** Checks the grants again: requests that they no longer allow end at once, and their senders get that answer. */
  look(): void {
    this.#channels.keep((machineId) => this.#options.peerOf(machineId) !== undefined);
    for (const { allowed, asker, ended } of this.#running.values()) {
      const { machineId, publicKey } = allowed.peer;
      const isKnown = this.#options.peerOf(machineId)?.publicKey === publicKey;
      if (isKnown && this.#rights.missing(allowed) === undefined) continue;
      ended.abort();
      void this.#replies.answer(asker, grantEnded());
    }
  }

  /** Ends all requests. */
  endAll(): void {
    for (const { ended } of this.#running.values()) ended.abort();
  }

  /** Decides whether a request is taken. Returns the rights that it needs, or why it is not taken. */
  #admit(peer: Peer, call: CallRequest): AllowedCall | { why: Refusal; error: DomainError } {
    const refused = (error: DomainError, why: Refusal = 'refused') => ({ why, error });
    if (call.from !== peer.machineId || call.to !== this.#options.identity().machineId)
      return refused(new DomainError('fleet-refused'));
    if (call.epoch !== this.#options.epoch) return refused(new DomainError('fleet-refused'), 'epoch');
    const memory = this.#requests.of(peer.machineId, this.#rights.held(peer).length > 0);
    const stale = memory.note(call.id, call.at, Date.now(), performance.now());
    if (stale === 'full') return refused(new DomainError('unavailable'), 'busy');
    // A copy of a request that was taken: its sender does not know the outcome yet.
    if (stale === 'repeated') return refused(new DomainError('fleet-outcome-unknown'));
    if (stale !== undefined) return refused(new DomainError('fleet-refused', CLOCKS));
    const allowed = this.#rights.allowed(peer, call);
    if (allowed instanceof DomainError) return refused(allowed);
    const own = [...this.#running.values()].filter(({ asker }) => asker.machineId === peer.machineId);
    return own.length < MAX_FLEET_CALLS_EACH
      ? allowed
      : refused(new DomainError('unavailable', BUSY), 'busy');
  }

  async #serve(allowed: AllowedCall, asker: Asker): Promise<void> {
    const { peer, call } = allowed;
    const ended = new AbortController();
    const key = keyOf(peer.machineId, call.id);
    this.#running.set(key, { allowed, asker, ended });
    let isConfirmed = false;
    const late = setTimeout(() => {
      isConfirmed = true;
      this.#replies.confirm(asker, { taken: true, id: call.id });
    }, FLEET_CONFIRM_MS);
    try {
      const { method, url } = call;
      // Serialized from the body that was checked, so that no other parser can read the same text differently.
      const body = call.body === undefined ? undefined : JSON.stringify(bodyOf(call));
      const request = { method, url, body, ...(call.key !== undefined && { key: call.key }) };
      await this.#rights.consent(allowed, ended.signal);
      // A person may have taken longer than the grant lasts.
      if (this.#rights.missing(allowed) !== undefined) {
        await this.#replies.answer(asker, grantEnded());
        return;
      }
      const answer = await this.#options.run(peer.machineId, request, ended.signal);
      const shown = unlessKnown(call, this.#rights.shown(allowed, answer));
      if (!ended.signal.aborted) await this.#replies.answer(asker, shown);
    } catch (error) {
      if (ended.signal.aborted) return;
      if (!(error instanceof DomainError)) throw error;
      await this.#replies.answer(asker, failure(error));
    } finally {
      // Only now, since a large answer on a slow line may take far longer to reach the hub than a confirmation beside it.
      clearTimeout(late);
      const waitsForReply = call.known === undefined && !call.brief;
      if (!isConfirmed && waitsForReply) this.#replies.received(asker);
      this.#running.delete(key);
    }
  }
}

const BUSY = `${MAX_FLEET_CALLS_EACH} requests of this machine are in work there: no more are taken until one of them ends`;
const CLOCKS = 'The clocks of the two machines differ by more than five minutes';

function keyOf(from: string, id: string): string {
  return `${from} ${id}`;
}
