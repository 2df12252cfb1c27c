import { DomainError } from '../../contract/errors.js';
import type { Right } from '../../contract/fleet-machines.js';
import { MAX_FLEET_STREAMS_EACH } from '../../contract/limits.js';
import type { FreeMemory } from '../../workers/free-memory.js';
import { bodyOfError, failure } from '../answers.js';
import type { Identity } from '../identity.js';
import { AgreementKey } from '../key-agreement.js';
import type { FleetLink } from '../link.js';
import { grantsOf, missingRight, type Need, type Peer, type PinnedGrant, unasked } from '../rights.js';
import * as subjects from '../subjects.js';
import type { FleetAnswer, FleetRequest } from '../wire.js';
import { ServedStream, type StreamSource } from './served-stream.js';
import { streamKeys } from './stream-cipher.js';
import { type KnownStream, streamOf } from './stream-routes.js';
import { StreamWindow, WindowRoom } from './stream-window.js';
import { type StreamEnd, StreamOpen, type StreamOpened } from './stream-wire.js';

/** Time between two looks for grants that have reached their end, and for followers that have gone. */
const LOOK_MS = 500;

/** The sources of streams on this machine. */
export interface StreamSources {
  /** Begins to send a terminal as its watchers see it. Throws terminal-not-found. */
  live: (asked: LiveAsked, stream: ServedStream) => StreamSource;
  /** Begins to send the answer to a GET. */
  answer: (machineId: string, url: string, stream: ServedStream) => StreamSource;
}

/** A terminal that a machine watches. */
export interface LiveAsked {
  machineId: string;
  terminalId: string;
  /** Returns whether the machine has a right on the terminal at present. */
  has: (right: Right) => boolean;
}

export interface StreamsInOptions {
  identity: () => Identity;
  memory: FreeMemory;
  peerOf: (machineId: string) => Peer | undefined;
  grants: () => readonly PinnedGrant[];
  labelsOf: (id: string) => Labels;
  sources: StreamSources;
}

/** Picks the grants that count for a stream from all grants of its machine. */
type Counted = (grants: readonly PinnedGrant[]) => readonly PinnedGrant[];

type Labels = Readonly<Record<string, string>> | undefined;

interface Served {
  peer: Peer;
  /** The terminal that is watched; undefined for an answer. */
  liveId: string | undefined;
  stream: ServedStream;
  room: WindowRoom;
}

/**
 * Streams of this machine to others. The right to a stream is checked when it is opened and whenever it sends, against
 * the grants of that moment.
 */
export class StreamsIn {
  readonly #options: StreamsInOptions;
  /** By machine and id. */
  readonly #streams = new Map<string, Served>();
  #looking: NodeJS.Timeout | undefined;
  link: FleetLink | undefined;

  constructor(options: StreamsInOptions) {
    this.#options = options;
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** Opens a stream for a machine whose request was checked. */
  open(machineId: string, { url, body = '' }: FleetRequest): FleetAnswer {
    const peer = this.#options.peerOf(machineId);
    const known = streamOf(url);
    const parsed = StreamOpen.safeParse(jsonOf(body));
    if (!peer || !known || !parsed.success) return failure(new DomainError('fleet-refused'));
    try {
      return this.#begin(peer, known, parsed.data);
    } catch (error) {
      if (error instanceof DomainError) return failure(error);
      throw error;
    }
  }

  /** Takes a packet of a follower. */
  onPacket(machineId: string, id: string, data: Uint8Array): void {
    this.#streams.get(keyOf(machineId, id))?.stream.onPacket(data);
  }

  /** Checks the grants again: streams that they no longer allow end. */
  look(): void {
    for (const { stream } of this.#streams.values()) if (stream.look()) stream.source?.look?.();
  }

  /** Called when the connection is back. */
  resume(): void {
    for (const { stream } of this.#streams.values()) stream.resume();
  }

  closeAll(): void {
    for (const { stream } of this.#streams.values()) stream.close();
  }

  #begin(peer: Peer, known: KnownStream, { id, key }: StreamOpen): FleetAnswer {
    const { machineId } = peer;
    this.#endFormer(machineId, known.liveId);
    const own = [...this.#streams.values()].filter((each) => each.peer.machineId === machineId);
    const place = keyOf(machineId, id);
    if (own.length >= MAX_FLEET_STREAMS_EACH || this.#streams.has(place))
      throw new DomainError('unavailable', 'This machine has too many streams open here');
    const ids = known.need.reach === 'all' ? [] : known.need.reach;
    const labels = new Map(ids.map((each) => [each, this.#options.labelsOf(each)]));
    const room = own[0]?.room ?? new WindowRoom();
    const mine = new AgreementKey();
    const keys = streamKeys(mine, key, id);
    if (!keys) throw new DomainError('fleet-refused', 'The key of the stream is no public key');
    // Without a person's approval it ends with the grants that need none, whatever others there are.
    const isUnasked = this.#missing(peer, known.need, labels, unasked) === undefined;
    const subject = subjects.stream(machineId, this.#options.identity().machineId, id);
    const stream = new ServedStream({
      keys,
      transmit: (packet) => this.link?.send(subject, packet),
      free: (bytes) => this.#options.memory.freeAll(bytes),
      window: new StreamWindow(room),
      refusal: () => this.#refusal(peer, known, labels, isUnasked ? unasked : undefined),
      onOver: () => this.#over(place),
    });
    this.#streams.set(place, { peer, liveId: known.liveId, stream, room });
    this.#looking ??= setInterval(() => this.look(), LOOK_MS);
    const { live, answer } = this.#options.sources;
    // No person approves the actions of a client of an open stream, so only grants that need no approval count.
    const has = (right: Right) =>
      this.#missing(peer, { ...known.need, rights: [right] }, labels, unasked) === undefined;
    try {
      stream.source =
        known.liveId === undefined
          ? answer(machineId, known.url, stream)
          : live({ machineId, terminalId: known.liveId, has: (right) => has(right) }, stream);
    } catch (error) {
      stream.close();
      throw error;
    }
    const opened: StreamOpened = { key: mine.publicKey };
    return {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: Buffer.from(JSON.stringify(opened)),
    };
  }

  /**
   * Ends the stream by which a machine has watched a terminal that it watches anew: the machine has given it up. Its
   * clients would otherwise be detached later, when they belong to the new stream.
   */
  #endFormer(machineId: string, liveId: string | undefined): void {
    if (liveId === undefined) return;
    for (const each of this.#streams.values())
      if (each.peer.machineId === machineId && each.liveId === liveId) each.stream.close();
  }

  /** @param labels - of its terminals, as of its beginning; a terminal that has gone meanwhile counts with these */
  #refusal(
    peer: Peer,
    { need }: KnownStream,
    labels: ReadonlyMap<string, Labels>,
    counted: Counted | undefined,
  ): StreamEnd | undefined {
    const missing = this.#missing(peer, need, labels, counted);
    if (missing === undefined) return undefined;
    return bodyOfError(
      new DomainError('not-granted', undefined, { details: { needs: missing } }),
    ) as StreamEnd;
  }

  #missing(
    peer: Peer,
    need: Need,
    labels: ReadonlyMap<string, Labels>,
    counted: Counted = (grants) => grants,
  ): Right | undefined {
    const { peerOf, grants, labelsOf } = this.#options;
    const isKnown = peerOf(peer.machineId)?.publicKey === peer.publicKey;
    const own = isKnown ? grantsOf(grants(), peer, Date.now()) : [];
    return missingRight(counted(own), need, (id) => labelsOf(id) ?? labels.get(id));
  }

  #over(place: string): void {
    this.#streams.delete(place);
    if (this.#streams.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

function keyOf(machineId: string, id: string): string {
  return `${machineId} ${id}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
