import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import {
  FLEET_CONNECT_MS,
  FLEET_MESSAGE_BYTES,
  FLEET_PING_MS,
  FLEET_PINGS_OUT,
  FLEET_RECONNECT_MS,
  FLEET_REFUSALS,
  FLEET_REFUSED_MS,
} from '../../contract/limits.js';
import type { FleetLinkApi, FleetLinkOptions, FleetServer, LinkState, Replied } from './protocol.js';
import { optionsOf, ServerSettingError } from './server.js';

export interface ConnectionsOptions extends Omit<FleetLinkOptions, 'port'> {
  /** @param connection - the server's number of the connection for calls, if there is one */
  onState: (state: LinkState, reason?: string, connection?: number) => void;
  onMessage: (subject: string, data: Uint8Array, replyTo?: string) => void;
}

/**
 * The connections to the hub: one for calls; one for answers, so that a large answer delays no call; and at the hub's own
 * machine one for the hub's events.
 */
export class Connections implements FleetLinkApi {
  readonly #options: ConnectionsOptions;
  #calls: NatsConnection | undefined;
  #bulk: NatsConnection | undefined;
  #state: LinkState | undefined;
  /** Number of consecutive refused logins. */
  #refusals = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Connects, and stays connected until the thread ends; or tries once. Resolves when it is no longer connected. */
  async open(): Promise<void> {
    const { isLasting } = this.#options;
    for (;;) {
      const reason = await this.#connected();
      this.#calls = undefined;
      this.#bulk = undefined;
      const isRefused = isRefusal(reason);
      this.#refusals = isRefused ? this.#refusals + 1 : 0;
      const isSure = this.#refusals >= FLEET_REFUSALS || reason instanceof ServerSettingError;
      if (isRefused && !isSure && (isLasting || this.#state === undefined)) {
        if (this.#state !== undefined) this.#tell('connecting', reason?.message);
        await delay(FLEET_RECONNECT_MS);
        continue;
      }
      this.#tell(isRefused ? 'refused' : 'connecting', reason?.message);
      if (!isLasting) return;
      await delay(isRefused ? FLEET_REFUSED_MS : FLEET_RECONNECT_MS);
    }
  }

  /** Sends a request and waits for its first reply. */
  async request(subject: string, data: Uint8Array, timeoutMs: number, inbox?: string): Promise<Replied> {
    const connection = this.#calls;
    if (!connection) return { kind: 'nobody' };
    try {
      const own = inbox === undefined ? {} : { noMux: true, reply: inbox };
      const { data: reply } = await connection.request(subject, data, { timeout: timeoutMs, ...own });
      return { kind: 'reply', data: Uint8Array.from(reply) };
    } catch (error) {
      // On a server of others, anybody who can answer in a machine's place can also claim that nobody listens.
      return { kind: this.#options.server.isOurs && isNobody(error) ? 'nobody' : 'lost' };
    }
  }

  /** Sends messages; drops them while there is no connection, which their senders detect separately. */
  publish(subject: string, messages: readonly Uint8Array[], isBulk: boolean): void {
    const connection = isBulk ? this.#bulk : this.#calls;
    if (!connection || connection.isClosed()) return;
    for (const data of messages) connection.publish(subject, data);
  }

  /** Sends messages as answers; resolves once the hub has taken them, so that a sender cannot fill the memory. */
  async deliver(subject: string, messages: readonly Uint8Array[]): Promise<void> {
    const isBulk = true;
    this.publish(subject, messages, isBulk);
    await this.#bulk?.flush().catch(() => undefined);
  }

  /** Sends a message on the connection for answers; while that is broken, drops it. */
  send(subject: string, data: Uint8Array): void {
    if (this.#state === 'connected') this.#bulk?.publish(subject, data);
  }

  /** Opens all connections; resolves with the reason once one of them has ended. */
  async #connected(): Promise<Error | undefined> {
    const { server, name, calls, bulk, system } = this.#options;
    const open: NatsConnection[] = [];
    let denial: Error | undefined;
    let deny!: (error: Error) => void;
    const denied = new Promise<Error>((resolve) => {
      deny = (error) => {
        denial = error;
        resolve(error);
      };
    });
    const begin = async (to: FleetServer, use: string, subjects: readonly string[]) => {
      const connection = await connect({ ...this.#settings(`${name} ${use}`), ...(await optionsOf(to)) });
      open.push(connection);
      checkSize(connection);
      this.#listen(connection, subjects, deny);
      return connection;
    };
    try {
      const connection = await begin(server, 'calls', calls);
      if (bulk) this.#bulk = await begin(server, 'bulk', bulk);
      if (system) await begin({ ...server, login: { key: system.key } }, 'system', system.subjects);
      const broken = new Set<NatsConnection>();
      const up = async () => {
        // The hub knows the subscriptions once it has answered: before that an answer would be lost.
        await Promise.all(open.map((each) => each.flush()));
        if (broken.size === 0 && !denial) this.#tell('connected');
      };
      this.#calls = connection;
      await up();
      for (const each of open) void this.#follow(each, broken, up);
      const ended = await Promise.race([denied, ...open.map((each) => each.closed())]);
      return ended instanceof Error ? ended : undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      await Promise.all(open.map((each) => each.close().catch(() => undefined)));
    }
  }

  /** Reports when a connection breaks, and when the library has restored all of them. */
  async #follow(
    connection: NatsConnection,
    broken: Set<NatsConnection>,
    up: () => Promise<void>,
  ): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') {
        broken.add(connection);
        this.#tell('connecting');
      } else if (type === 'reconnect') {
        broken.delete(connection);
        // A connection that breaks meanwhile reports that itself.
        if (broken.size === 0) await up().catch(() => undefined);
      }
    }
  }

  /** @param deny - called if the server does not allow this login to listen to one of the subjects */
  #listen(connection: NatsConnection, subjects: readonly string[], deny: (error: Error) => void): void {
    for (const subject of subjects) {
      connection.subscribe(subject, {
        callback: (error, message) => {
          if (error) deny(error);
          else this.#options.onMessage(message.subject, message.data, message.reply);
        },
      });
    }
  }

  #settings(name: string): NodeConnectionOptions {
    const { inbox, isLasting } = this.#options;
    return {
      name,
      inboxPrefix: inbox,
      // Otherwise each request captures a stack, which takes longer than to send it.
      noAsyncTraces: true,
      timeout: FLEET_CONNECT_MS,
      reconnect: isLasting,
      maxReconnectAttempts: -1,
      reconnectTimeWait: FLEET_RECONNECT_MS,
      reconnectJitter: FLEET_RECONNECT_MS,
      reconnectJitterTLS: FLEET_RECONNECT_MS,
      pingInterval: FLEET_PING_MS,
      maxPingOut: FLEET_PINGS_OUT,
    };
  }

  #tell(state: LinkState, reason?: string): void {
    if (state === 'connected') this.#refusals = 0;
    if (state === this.#state && reason === undefined) return;
    this.#state = state;
    this.#options.onState(state, reason, this.#calls?.info?.client_id);
  }
}

/** Throws for a server that takes no message as large as machines send. */
function checkSize(connection: NatsConnection): void {
  const most = connection.info?.max_payload ?? 0;
  if (most < FLEET_MESSAGE_BYTES)
    throw new ServerSettingError(
      `The server takes messages of ${most} bytes; a fleet needs max_payload: ${FLEET_MESSAGE_BYTES}`,
    );
}

function isNobody(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NoRespondersError' || isNobody(error.cause));
}

/** Errors that come again until a person changes a setting or the server's configuration. */
const REFUSALS = [
  'AuthorizationError',
  'UserAuthenticationExpiredError',
  'PermissionViolationError',
  'ServerSettingError',
];

function isRefusal(error: unknown): boolean {
  return error instanceof Error && (REFUSALS.includes(error.name) || isRefusal(error.cause));
}
