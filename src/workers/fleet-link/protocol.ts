import type { MessagePort } from 'node:worker_threads';

/** How a thread connects to the hub. */
export interface FleetLinkOptions {
  port: MessagePort;
  server: FleetServer;
  /** Names the connections in the hub's events. */
  name: string;
  /** Subject under which answers of requests come. */
  inbox: string;
  /** Subjects to listen to on the connection for calls, and on the connection for answers. */
  calls: readonly string[];
  /** Absent: there is no second connection. */
  bulk?: readonly string[];
  /** Key and subjects of a connection for the hub's own events. */
  system?: { key: FleetLinkKey; subjects: readonly string[] };
  /** How often and how long to try: until the thread ends, or once. */
  isLasting: boolean;
}

/** The server of a fleet, and how this machine reaches it. */
export interface FleetServer {
  /** Addresses, any of which will do; empty if a setting is missing. */
  servers: readonly { host: string; port: number }[];
  /** Whether a hub of ours runs it, so that it admits only our machines and can be trusted that nobody listens. */
  isOurs: boolean;
  /**
   * Present: TLS is required. `pem` and `name`: the only certificate; `file`: PEM of the authorities; neither: the system's
   * authorities. Absent: as the server asks.
   */
  tls?: { pem: string; name: string } | { file: string } | Record<string, never>;
  /** A key, or a file of credentials, read when a connection is opened, not when the library restores it. Absent: no login. */
  login?: { key: FleetLinkKey } | { file: string };
}

/** A key for the login: 32 bytes of an Ed25519 private key, and the public key as NATS writes it. */
export interface FleetLinkKey {
  seed: Uint8Array;
  nkey: string;
}

/** Outcome of a request. */
export type Replied =
  | { kind: 'reply'; data: Uint8Array }
  /** Nobody listens: the receiver has not got it. */
  | { kind: 'nobody' }
  /** No answer in time, or the connection has ended: the receiver may have got it. */
  | { kind: 'lost' };

/** Methods of the thread that can be called. */
export interface FleetLinkApi {
  /** Sends messages as answers, in this order; resolves once the hub has them. */
  deliver(subject: string, messages: readonly Uint8Array[]): Promise<void>;
}

/** State of the link. `refused`: the server does not admit this machine, or a setting prevents the connection. */
export type LinkState = 'connected' | 'connecting' | 'refused';

/** Message from the thread. */
export type FromFleetLink =
  /** The reply to a call, as Comlink encodes it. */
  | { type: 'reply'; reply: unknown }
  /** Outcome of the request with this id. */
  | { type: 'replied'; id: number; replied: Replied }
  /** `connection`: the server's number of the connection for calls, if there is one. */
  | { type: 'state'; state: LinkState; reason?: string; connection?: number }
  /** A message that could not be sent, for instance because it is too large for the server. */
  | { type: 'fault'; reason: string }
  /** `replyTo`: subject for an answer. */
  | { type: 'message'; subject: string; replyTo?: string; data: Uint8Array };

/** Message to the thread. */
export type ToFleetLink =
  | { type: 'call'; call: unknown }
  /**
   * Send a request and wait for its first reply. By a plain message, which costs less than a call. `inbox`: the subject for
   * the reply; by default the library's, which a machine can guess from the subject of an earlier reply.
   */
  | { type: 'request'; id: number; subject: string; data: Uint8Array; timeoutMs: number; inbox?: string }
  /**
   * Send these messages, in this order, on one connection, which keeps them while it is briefly broken. Messages of a
   * subject arrive in order if they use the same connection.
   */
  | { type: 'publish'; subject: string; messages: readonly Uint8Array[]; isBulk: boolean }
  /** Send this on the connection for answers; dropped while that is broken. */
  | { type: 'send'; subject: string; data: Uint8Array }
  /** The main thread has handled these: requests, and bytes of other messages. */
  | { type: 'taken'; requests: number; bytes: number };
