import type { Logger } from 'pino';
import { DomainError } from '../contract/errors.js';
import { FLEET_PART_BYTES } from '../contract/limits.js';
import { FleetLinkClient } from '../workers/fleet-link/link-client.js';
import type { FleetServer, LinkState, Replied } from '../workers/fleet-link/protocol.js';
import type { Identity } from './identity.js';
import { keyOf } from './servers.js';
import * as subjects from './subjects.js';

/** Pause before a thread that has ended gets a successor. */
const RESTART_MS = 1_000;

/** A message of another machine. */
export interface FleetMessage extends subjects.Parsed {
  subject: string;
  replyTo: string | undefined;
  data: Uint8Array;
}

interface FleetLinkHandlers {
  onState: (state: LinkState) => void;
  onMessage: (message: FleetMessage) => void;
  /** Called at the hub when this connection of the user with this key, as NATS writes it, has ended. */
  onClosed: (nkey: string, connection: number | undefined) => void;
}

export interface FleetLinkFacts extends FleetLinkHandlers {
  identity: Identity;
  server: FleetServer;
  isHub: boolean;
  logger: Logger;
}

/** This machine's link to the hub: a thread with its connections, replaced if it dies. */
export class FleetLink {
  readonly #facts: FleetLinkFacts;
  #client: FleetLinkClient;
  #state: LinkState = 'connecting';
  #reason: string | undefined;
  #connection: number | undefined;
  /** Bytes sent on the connection for answers, and how many of them the hub is known to have. */
  #sentBytes = 0;
  #takenBytes = 0;
  #isStopped = false;
  #restart: NodeJS.Timeout | undefined;

  constructor(facts: FleetLinkFacts) {
    this.#facts = facts;
    this.#client = this.#begin();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Why it is not connected, if known. */
  get reason(): string | undefined {
    return this.#state === 'connected' ? undefined : this.#reason;
  }

  /** The server's number of the connection for calls; undefined if it is not known. */
  get connection(): number | undefined {
    return this.#connection;
  }

  /**
   * Sends a request.
   *
   * @param inbox - where the reply comes, if nobody but the receiver of the request may guess that
   */
  async request(subject: string, data: Uint8Array, timeoutMs: number, inbox?: string): Promise<Replied> {
    if (this.#state !== 'connected') return { kind: 'nobody' };
    return this.#client.request(subject, data, timeoutMs, inbox);
  }

  /** Sends messages; a broken connection may lose them, and their senders are notified of the break separately. */
  publish(subject: string, messages: readonly Uint8Array[], isBulk = false): void {
    if (isBulk) this.#sentBytes += bytesOf(messages);
    this.#client.publish(subject, messages, isBulk);
  }

  /** Sends messages on the connection for answers; resolves once the hub has taken them, or they are lost. */
  async deliver(subject: string, messages: readonly Uint8Array[]): Promise<void> {
    this.#sentBytes += bytesOf(messages);
    const sent = this.#sentBytes;
    try {
      await this.#client.deliver(subject, messages);
      this.#takenBytes = Math.max(this.#takenBytes, sent);
    } catch (err) {
      this.#facts.logger.debug({ err }, 'messages to another machine were lost');
    }
  }

  /** Sends an answer as {@link deliver}, but does not wait if so little is under way that it cannot be late. */
  async answer(subject: string, parts: readonly Uint8Array[]): Promise<void> {
    const underWay = this.#sentBytes - this.#takenBytes + bytesOf(parts);
    if (underWay > FLEET_PART_BYTES || this.#state !== 'connected') await this.deliver(subject, parts);
    else this.publish(subject, parts, true);
  }

  /** Sends a packet of a stream; drops it while the link is broken, since streams send lost parts again. `data` moves away. */
  send(subject: string, data: Uint8Array<ArrayBuffer>): void {
    if (this.#state !== 'connected') return;
    this.#sentBytes += data.length;
    this.#client.send(subject, data);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#restart);
    await this.#client.terminate();
  }

  #begin(): FleetLinkClient {
    // The bytes that a dead thread held are lost.
    this.#takenBytes = this.#sentBytes;
    const { identity, server, isHub, logger } = this.#facts;
    const me = identity.machineId;
    const client = new FleetLinkClient({
      server,
      name: me,
      inbox: subjects.inbox(me),
      calls: [
        subjects.allRequests(me),
        subjects.DIRECTORY,
        ...(isHub ? [subjects.ALL_HEARTBEATS, subjects.ALL_JOINS] : []),
      ],
      bulk: [subjects.allAnswers(me)],
      // A server of others does not report the ends of connections: there, silence decides.
      ...(isHub &&
        server.isOurs && {
          system: { key: keyOf(systemIdentity(identity)), subjects: [subjects.DISCONNECTED] },
        }),
      isLasting: true,
      onState: (state, reason, connection) => this.#onState(client, state, reason, connection),
      onMessage: (message) => this.#onMessage(message),
      onFault: (reason) => logger.warn({ reason }, 'a message to another machine could not be sent'),
    });
    void client.died.then((err) => {
      if (this.#isStopped) return;
      logger.warn({ err }, 'the thread with the connections to the hub has ended; another takes its place');
      this.#onState(client, 'connecting', err.message);
      this.#restart = setTimeout(() => {
        this.#client = this.#begin();
      }, RESTART_MS);
    });
    return client;
  }

  #onState(client: FleetLinkClient, state: LinkState, reason: string | undefined, connection?: number): void {
    if (this.#isStopped || client !== this.#client) return;
    this.#connection = connection;
    this.#reason = reason ?? this.#reason;
    if (state === this.#state) return;
    this.#state = state;
    this.#facts.onState(state);
  }

  #onMessage({ subject, replyTo, data }: { subject: string; replyTo?: string; data: Uint8Array }): void {
    if (this.#isStopped) return;
    if (subject === subjects.DISCONNECTED) {
      const { nkey, connection } = closedIn(data);
      if (nkey !== undefined) this.#facts.onClosed(nkey, connection);
      return;
    }
    const parsed = subjects.parse(subject);
    if (!parsed) return;
    // A sender that names another subject for the answer could make this machine publish there.
    const isOwn = replyTo !== undefined && subjects.isInboxOf(parsed, replyTo);
    try {
      this.#facts.onMessage({ ...parsed, subject, replyTo: isOwn ? replyTo : undefined, data });
    } catch (err) {
      // No message of another machine may end this service.
      this.#facts.logger.warn({ err }, 'a message of another machine could not be handled');
    }
  }
}

/** Returns the key with which the hub's service receives the events of ended connections. */
export function systemIdentity(identity: Identity): Identity {
  return identity.derive('system');
}

/** Returns the connection for calls that has ended, by the hub's event, and the key of its user; no key for another connection. */
function closedIn(data: Uint8Array): { nkey?: string | undefined; connection?: number | undefined } {
  const event = JSON.parse(Buffer.from(data).toString()) as {
    client?: { id?: number; nkey?: string; user?: string; name?: string };
  };
  const { id: connection, nkey, user, name } = event.client ?? {};
  // A machine has two connections; only the end of the connection for calls counts.
  return name?.endsWith(' calls') ? { nkey: nkey ?? user, connection } : {};
}

function bytesOf(messages: readonly Uint8Array[]): number {
  return messages.reduce((bytes, { length }) => bytes + length, 0);
}

/** Returns the error of a request that did not reach its machine. */
export function unreachable(lastSeenAt: number | null): DomainError {
  return new DomainError('machine-unreachable', undefined, { details: { lastSeenAt } });
}

/** Returns the error of a request that no machine takes. */
export function tooLarge(): DomainError {
  const most = '512 KiB, and 1 MiB with its quotes and backslashes escaped';
  return new DomainError('body-too-large', `The body is larger than another machine takes: ${most}`);
}
