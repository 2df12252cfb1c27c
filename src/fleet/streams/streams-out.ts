import { randomBytes } from 'node:crypto';
import { DomainError, ERRORS, type ErrorCode } from '../../contract/errors.js';
import { MAX_FLEET_STREAMS } from '../../contract/limits.js';
import type { FreeMemory } from '../../workers/free-memory.js';
import type { Directory } from '../directory.js';
import type { Identity } from '../identity.js';
import { AgreementKey } from '../key-agreement.js';
import { type FleetLink, unreachable } from '../link.js';
import * as subjects from '../subjects.js';
import type { FleetAnswer, FleetRequest } from '../wire.js';
import { type FollowedHandlers, FollowedStream } from './followed-stream.js';
import { streamKeys } from './stream-cipher.js';
import { StreamWindow, WindowRoom } from './stream-window.js';
import { STREAM_METHOD, StreamOpened } from './stream-wire.js';

export interface StreamsOutOptions {
  identity: () => Identity;
  memory: FreeMemory;
  directory: Pick<Directory, 'get'>;
  call: (machineId: string, request: FleetRequest, client: AbortSignal) => Promise<FleetAnswer>;
}

interface Followed {
  machineId: string;
  stream: FollowedStream;
  room: WindowRoom;
}

/** Streams of other machines to this one. */
export class StreamsOut {
  readonly #options: StreamsOutOptions;
  readonly #streams = new Map<string, Followed>();
  link: FleetLink | undefined;

  constructor(options: StreamsOutOptions) {
    this.#options = options;
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /**
   * Opens a stream of another machine. Rejects as a call does, with the other machine's error (not-granted,
   * terminal-not-found, unavailable), and with the reason of the signal.
   *
   * @param url - of a route whose answer is streamed, or `/api/terminals/<id>/live`
   */
  async open(
    machineId: string,
    url: string,
    handlers: FollowedHandlers,
    signal: AbortSignal,
  ): Promise<FollowedStream> {
    if (this.#streams.size >= MAX_FLEET_STREAMS) throw new DomainError('unavailable');
    const id = randomBytes(16).toString('base64url');
    const mine = new AgreementKey();
    const body = JSON.stringify({ id, key: mine.publicKey });
    const answer = await this.#options.call(machineId, { method: STREAM_METHOD, url, body }, signal);
    const keys = streamKeys(mine, keyIn(answer), id);
    if (!keys) throw new DomainError('fleet-outcome-unknown', 'The key of the stream is no public key');
    const epoch = this.#entry(machineId)?.epoch ?? '';
    const subject = subjects.stream(machineId, this.#options.identity().machineId, id);
    const room =
      [...this.#streams.values()].find((each) => each.machineId === machineId)?.room ?? new WindowRoom();
    const stream = new FollowedStream({
      ...handlers,
      keys,
      transmit: (packet) => this.link?.send(subject, packet),
      isConnected: () => this.link?.state === 'connected' && this.#entry(machineId)?.online === true,
      free: (bytes) => this.#options.memory.freeAll(bytes),
      isGone: () => this.#isGone(machineId, epoch),
      window: new StreamWindow(room),
      onOver: () => this.#streams.delete(id),
    });
    this.#streams.set(id, { machineId, stream, room });
    return stream;
  }

  /** Throws peering-not-installed, machine-not-found, machine-unreachable. */
  require(machineId: string): void {
    if (!this.link) throw new DomainError('peering-not-installed');
    const entry = this.#entry(machineId);
    if (!entry) throw new DomainError('machine-not-found');
    if (!entry.online) throw unreachable(entry.lastSeenAt);
  }

  /** Takes a packet of an owner. */
  onPacket(machineId: string, id: string, data: Uint8Array): void {
    const followed = this.#streams.get(id);
    if (followed?.machineId === machineId) followed.stream.onPacket(data);
  }

  /** Called when the connection is back. */
  resume(): void {
    for (const { stream } of this.#streams.values()) stream.resume();
  }

  /** Ends all streams as lost. */
  loseAll(): void {
    for (const { stream } of [...this.#streams.values()]) stream.lose();
  }

  /** Returns whether the machine has left the fleet, or restarted since a stream was opened. */
  #isGone(machineId: string, epoch: string): boolean {
    const entry = this.#entry(machineId);
    return !entry || (entry.online && entry.epoch !== epoch);
  }

  #entry(machineId: string) {
    return this.#options.directory.get(machineId);
  }
}

/** Returns the owner's key. Throws the error that a refusal reports. */
function keyIn({ status, body }: FleetAnswer): string {
  const content: unknown = JSON.parse(body.toString());
  if (status === 200) return StreamOpened.parse(content).key;
  const { code, error, needs } = content as { code?: string; error?: string; needs?: string };
  const known = code !== undefined && code in ERRORS ? (code as ErrorCode) : 'fleet-refused';
  throw new DomainError(known, error, { ...(needs !== undefined && { details: { needs } }) });
}
