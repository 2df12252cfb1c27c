import { randomUUID } from 'node:crypto';
import { DomainError } from '../contract/errors.js';
import {
  FLEET_ACCEPT_MS,
  FLEET_MESSAGE_BYTES,
  MAX_FLEET_ANSWER_BYTES,
  MAX_FLEET_CALLS,
  MAX_FLEET_REQUEST_BYTES,
  MAX_WAIT_MS,
} from '../contract/limits.js';
import { channelOf } from './channel.js';
import { ChannelsOut, type Offer } from './channels.js';
import type { Directory } from './directory.js';
import { type Entry, PROTOCOLS } from './entry.js';
import type { FleetCounts } from './fleet-counts.js';
import type { Identity } from './identity.js';
import { type FleetLink, tooLarge, unreachable } from './link.js';
import { type Purpose, type Seals, sha256, signatures, unchecked } from './signed.js';
import * as subjects from './subjects.js';
import { AnswerHead, CallTaken, type FleetAnswer, type FleetRequest } from './wire.js';

/** A request takes at most as long as the longest wait, and its answer at most a minute more. */
const DEADLINE_MS = MAX_WAIT_MS + 60_000;

/** Milliseconds without another part of an answer that has begun, after which a part must have been lost. */
const STALLED_MS = 30_000;

/** An answer; or, for a request that was not taken, the present start of the machine that it must name. */
type Outcome = FleetAnswer | { epoch: string };

/** A request whose answer has not come yet. */
interface Open {
  machineId: string;
  /** The offer under which it was sent. A machine that does not know the channel signs its reply. */
  offer: Offer;
  signed: Seals;
  isTaken: boolean;
  /** The start of the machine that it names, if the machine itself has said it. */
  known: string | undefined;
  head: AnswerHead | undefined;
  parts: Uint8Array[];
  bytes: number;
  /** To be called with each part of its answer. */
  heard: () => void;
  resolve: (answer: Outcome) => void;
  reject: (error: Error) => void;
}

export interface CallsOutOptions {
  identity: () => Identity;
  directory: Directory;
  counts: FleetCounts;
}

/** Requests of this machine to others. */
export class CallsOut {
  readonly #options: CallsOutOptions;
  readonly #open = new Map<string, Open>();
  readonly #channels = new ChannelsOut();
  link: FleetLink | undefined;

  constructor(options: CallsOutOptions) {
    this.#options = options;
  }

  /**
   * Sends a request to another machine and resolves with its answer, failures included. Rejects with machine-not-found,
   * machine-unreachable (it has not got the request), fleet-outcome-unknown, fleet-refused, body-too-large, unavailable,
   * and with the reason of `client`; the other machine then drops the request as if its client had gone.
   */
  async call(machineId: string, request: FleetRequest, client: AbortSignal): Promise<FleetAnswer> {
    client.throwIfAborted();
    if (Buffer.byteLength(request.body ?? '') > MAX_FLEET_REQUEST_BYTES) throw tooLarge();
    const id = newCallId();
    const first = await this.#send(id, machineId, request, client);
    if (!('epoch' in first)) return first;
    // The machine has restarted and has not taken the request: sign it, and send it again for the machine's present start.
    // The id stays the same, so the machine takes only one of the two requests, even if the first arrives late.
    this.#channels.forget(machineId);
    const done = await this.#send(id, machineId, request, client, first.epoch);
    // The machine may have taken the first request after all.
    if ('epoch' in done) throw new DomainError('fleet-outcome-unknown');
    return done;
  }

  /** Takes a message with a part of an answer. */
  onAnswer(from: string, callId: string, data: Uint8Array): void {
    const open = this.#open.get(callId);
    if (open?.machineId !== from) return;
    if (!open.head) {
      // The type that the message claims decides which signature is checked: a check takes as long as all else here together.
      if (isConfirmation(data)) {
        const refused = this.#confirmed(open, callId, data);
        if (refused) open.resolve(refused);
        return;
      }
      const head = AnswerHead.safeParse(unsealed(open, data, 'answer'));
      // Sent by some other machine: the true answer may still come.
      if (!head.success || head.data.id !== callId || head.data.bytes > MAX_FLEET_ANSWER_BYTES) return;
      open.head = head.data;
      open.isTaken = true;
      const { accept, text } = head.data;
      if (accept !== undefined) open.offer.accepted(accept);
      if (text !== undefined) addPart(open, Buffer.from(text));
    } else if (data.length > 0) addPart(open, data);
    open.heard();
    if (open.bytes < open.head.bytes) return;
    const body = Buffer.concat(open.parts);
    this.#options.counts.receivedBytes += body.length;
    const { status, headers, hash } = open.head;
    if (sha256(body) === hash && body.length === open.head.bytes) open.resolve({ status, headers, body });
    else open.reject(new DomainError('fleet-outcome-unknown'));
  }

  /** Ends the requests to a machine that was lost; without an id, all of them. */
  lost(machineId?: string): void {
    this.#channels.forget(machineId);
    for (const open of this.#open.values())
      if (machineId === undefined || open.machineId === machineId)
        open.reject(new DomainError('fleet-outcome-unknown'));
  }

  #entry(machineId: string): Entry {
    const entry = this.#options.directory.get(machineId);
    if (!entry) throw new DomainError('machine-not-found');
    return entry;
  }

  /** Notes that a machine has taken a request, or returns the outcome if the machine has not; ignores other data. */
  #confirmed(open: Open, id: string, data: Uint8Array): Outcome | undefined {
    // The confirmation comes by two ways.
    if (open.isTaken) return undefined;
    const taken = CallTaken.safeParse(unsealed(open, data, 'taken'));
    if (!taken.success || taken.data.id !== id) return undefined;
    if (taken.data.taken) {
      open.isTaken = true;
      return undefined;
    }
    const { why, epoch, status, body } = taken.data;
    // It comes by two ways: this is the second copy of the reply to the first try, which had named another start.
    if (why === 'epoch') return epoch === open.known ? undefined : { epoch };
    // The machine has taken a copy of this request before: the request may have been done.
    if (body.code === 'fleet-outcome-unknown') {
      open.reject(new DomainError('fleet-outcome-unknown'));
      return undefined;
    }
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return { status, headers, body: Buffer.from(JSON.stringify(body)) };
  }

  async #send(
    id: string,
    machineId: string,
    request: FleetRequest,
    client: AbortSignal,
    known?: string,
  ): Promise<Outcome> {
    const entry = this.#entry(machineId);
    const { link } = this;
    if (!link || !entry.online) throw unreachable(entry.lastSeenAt);
    const { min, max } = entry.protocols;
    if (min > PROTOCOLS.max || max < PROTOCOLS.min) throw new DomainError('fleet-protocol');
    if (this.#open.size >= MAX_FLEET_CALLS) throw new DomainError('unavailable');
    const identity = this.#options.identity();
    const me = identity.machineId;
    const epoch = known ?? entry.epoch;
    const offer = this.#channels.to(entry, epoch);
    const signed = signatures(identity, entry.publicKey);
    const seals = offer.channel ?? signed;
    const call = { id, from: me, to: machineId, epoch, at: Date.now(), brief: true, ...request };
    const packet = seals.seal('call', offer.channel ? call : { ...call, offer: offer.key });
    // Within a packet the body is a string of JSON, in which quotes and backslashes take twice as much.
    if (packet.length > FLEET_MESSAGE_BYTES) throw tooLarge();
    const { counts } = this.#options;
    counts.routed++;
    counts.sentBytes += packet.length;
    const unknown = () => open.reject(new DomainError('fleet-outcome-unknown'));
    let stalled: NodeJS.Timeout | undefined;
    const heard = () => {
      clearTimeout(stalled);
      stalled = setTimeout(unknown, STALLED_MS);
    };
    const cancel = () => {
      open.reject(client.reason as Error);
      const subject = subjects.request(machineId, me, 'cancel');
      link.publish(subject, [seals.seal('call', { id, cancel: true })]);
    };
    let open!: Open;
    const answered = new Promise<Outcome>((resolve, reject) => {
      open = {
        ...{ machineId, offer, signed, isTaken: false, known, head: undefined, parts: [], bytes: 0 },
        ...{ heard, resolve, reject },
      };
    });
    // It may reject before the confirmation is awaited.
    answered.catch(() => undefined);
    // The answer may overtake the confirmation: it comes by another connection.
    this.#open.set(id, open);
    client.addEventListener('abort', cancel, { once: true });
    const deadline = setTimeout(unknown, DEADLINE_MS);
    let late: NodeJS.Timeout | undefined;
    const sentAt = performance.now();
    try {
      const replied = await Promise.race([
        link.request(subjects.request(machineId, me, 'call'), packet, FLEET_ACCEPT_MS),
        answered.then(() => undefined),
      ]);
      if (replied?.kind === 'nobody') throw unreachable(entry.lastSeenAt);
      // An empty reply has no proof.
      const said = replied?.kind === 'reply' && replied.data.length > 0 ? replied.data : undefined;
      const refused = said && this.#confirmed(open, id, said);
      if (!replied || refused || open.isTaken) return refused ?? (await answered);
      // Anybody may have sent this reply; the confirmation also comes on the connection for answers.
      const left = Math.max(0, FLEET_ACCEPT_MS - (performance.now() - sentAt));
      const noAnswer = new Promise<boolean>((resolve) => {
        late = setTimeout(resolve, left, false).unref();
      });
      const isAnswered = await Promise.race([answered.then(() => true), noAnswer]);
      if (!isAnswered && !open.isTaken) throw new DomainError('fleet-outcome-unknown');
      return await answered;
    } finally {
      clearTimeout(deadline);
      clearTimeout(stalled);
      clearTimeout(late);
      client.removeEventListener('abort', cancel);
      this.#open.delete(id);
    }
  }
}

/** Returns a unique id for a request. `randomUUID` draws from a cache, `randomBytes` asks the system each time. */
function newCallId(): string {
  return Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
}

function addPart(open: Open, data: Uint8Array): void {
  open.parts.push(data);
  open.bytes += data.length;
}

/** Returns the content of a message, sealed on the channel or signed; undefined if it is not from that machine. */
function unsealed({ offer, signed }: Open, data: Uint8Array, purpose: Purpose): unknown {
  const seals = channelOf(data) === undefined ? signed : offer.channel;
  return seals?.unseal(data, purpose);
}

function isConfirmation(data: Uint8Array): boolean {
  const said = unchecked(data);
  return typeof said === 'object' && said !== null && 'taken' in said;
}
