import type { MessagePort } from 'node:worker_threads';

/** How a thread connects to the hub. */
export interface FleetLinkOptions {
  port: MessagePort;
  servers: string;
  /** The hub's certificate as PEM, and the name in it. */
  certificate: string;
  serverName: string;
  /** Key with which the connections log in. */
  key: FleetLinkKey;
  /** Names the connections in the hub's events. */
  name: string;
  /** Subject under which answers of requests come. */
  inbox: string;
  /** Subjects to listen to on the connection for calls, and on the one for answers. */
  calls: readonly string[];
  /** Absent: there is no second connection. */
  bulk?: readonly string[];
  /** Key and subjects of a connection for the hub's own events. */
  system?: { key: FleetLinkKey; subjects: readonly string[] };
  /** How often and how long to try: until the thread ends, or once. */
  isLasting: boolean;
}

/** A key for the login: 32 bytes of an Ed25519 private key, and the public key as NATS writes it. */
export interface FleetLinkKey {
  seed: Uint8Array;
  nkey: string;
}

/** What came of a request. */
export type Replied =
  | { kind: 'reply'; data: Uint8Array }
  /** Nobody listens: the receiver has not got it. */
  | { kind: 'nobody' }
  /** No answer in time, or the connection has ended: the receiver may have got it. */
  | { kind: 'lost' };

/** What the thread offers to calls. */
export interface FleetLinkApi {
  /** Sends a request and waits for its first reply. */
  request(subject: string, data: Uint8Array, timeoutMs: number): Promise<Replied>;
  /** Sends messages in this order. Those of one subject arrive in order if they use the same connection. */
  publish(subject: string, messages: readonly Uint8Array[], isBulk: boolean): Promise<void>;
}

/** Why a thread is not connected. `refused`: the hub does not know the key. */
export type LinkState = 'connected' | 'connecting' | 'refused';

/** Message from the thread. */
export type FromFleetLink =
  /** The reply to a call, as Comlink encodes it. */
  | { type: 'reply'; reply: unknown }
  | { type: 'state'; state: LinkState; reason?: string }
  /** `replyTo`: subject for an answer. */
  | { type: 'message'; subject: string; replyTo?: string; data: Uint8Array };

/** Message to the thread. */
export type ToFleetLink =
  | { type: 'call'; call: unknown }
  /** Send this on the connection for answers; dropped while that is broken. */
  | { type: 'send'; subject: string; data: Uint8Array }
  /** The main thread has handled these: requests, and bytes of other messages. */
  | { type: 'taken'; requests: number; bytes: number };
