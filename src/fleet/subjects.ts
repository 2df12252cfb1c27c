import { randomBytes } from 'node:crypto';

/**
 * Subjects of the fleet, the receiver before the sender: `at1.<kind>.<to>.<from>.<what>`. A machine may publish with its
 * own id as the sender only. The server of a hub enforces this, so the sender in a subject is whose key the connection
 * has shown; on a server that others run it is a claim, which signatures alone prove.
 */
const ROOT = 'at1';

/** Stands in subjects of streams in place of the id of a call; no such id is as short. */
const STREAM = 'stream';

/** Subjects that a user of the hub may publish and subscribe to. */
export interface Permissions {
  publish: readonly string[];
  subscribe: readonly string[];
}

export const request = (to: string, from: string, what: string) => `${ROOT}.q.${to}.${from}.${what}`;
export const answer = (to: string, from: string, callId: string) => `${ROOT}.s.${to}.${from}.${callId}`;
export const stream = (to: string, from: string, id: string) => `${ROOT}.s.${to}.${from}.${STREAM}.${id}`;
export const heartbeat = (from: string) => `${ROOT}.hb.${from}`;
/** Changes of the hub's directory. */
export const DIRECTORY = `${ROOT}.dir.changes`;
export const join = (inviteId: string) => `${ROOT}.join.${inviteId}`;

/** Subject under which a machine gets the answers of its requests. */
export const inbox = (me: string) => `${ROOT}.r.${me}`;
/** Inbox for one reply that has no proof: the library's inboxes follow from each other, and whoever is asked knows one. */
export const secretInbox = (me: string) => `${inbox(me)}.${randomBytes(16).toString('base64url')}`;
export const guestInbox = (inviteId: string) => `${ROOT}.jr.${inviteId}`;

export const allRequests = (me: string) => `${ROOT}.q.${me}.>`;
export const allAnswers = (me: string) => `${ROOT}.s.${me}.>`;
export const ALL_HEARTBEATS = `${ROOT}.hb.*`;
export const ALL_JOINS = `${ROOT}.join.*`;

/** Replies go here. Any machine may send one, so only what the receiver can verify, or a secret inbox, proves its sender. */
const ALL_INBOXES = `${ROOT}.r.*.>`;
const ALL_GUEST_INBOXES = `${ROOT}.jr.*.>`;

/** Events of the hub's connections, which only its second user can see. */
export const DISCONNECTED = '$SYS.ACCOUNT.FLEET.DISCONNECT';

export function memberPermissions(me: string): Permissions {
  return {
    publish: [`${ROOT}.q.*.${me}.>`, `${ROOT}.s.*.${me}.>`, heartbeat(me), ALL_INBOXES],
    subscribe: [allRequests(me), allAnswers(me), `${inbox(me)}.>`, DIRECTORY],
  };
}

/** The hub's own machine is a member that also hears heartbeats and guests, and publishes the directory. */
export function hubPermissions(me: string): Permissions {
  const { publish, subscribe } = memberPermissions(me);
  return {
    publish: [...publish, DIRECTORY, ALL_GUEST_INBOXES],
    subscribe: [...subscribe, ALL_HEARTBEATS, ALL_JOINS],
  };
}

/** The key of an invitation can do nothing but speak to the hub's service about that invitation. */
export function guestPermissions(inviteId: string): Permissions {
  return { publish: [join(inviteId)], subscribe: [`${guestInbox(inviteId)}.>`] };
}

/** Parts of a subject. */
export interface Parsed {
  kind: 'q' | 's' | 'hb' | 'join' | 'dir';
  /** Sender; of `join`, the id of the invitation. */
  from: string;
  /** Operation, or id of the call. */
  what: string;
  /** Id of the stream whose packet it is. */
  streamId?: string;
}

/** Returns the parts of a subject; undefined for a subject of no use here. */
export function parse(subject: string): Parsed | undefined {
  const [root, kind, first = '', second = '', what = '', id] = subject.split('.');
  if (root !== ROOT) return undefined;
  if (kind === 's' && what === STREAM && id !== undefined) return { kind, from: second, what, streamId: id };
  if (kind === 'q' || kind === 's') return { kind, from: second, what };
  if (kind === 'hb' || kind === 'join') return { kind, from: first, what: '' };
  return kind === 'dir' ? { kind, from: '', what: first } : undefined;
}

/** Returns whether a subject is one under which the sender of a message gets its answers. */
export function isInboxOf({ kind, from }: Pick<Parsed, 'kind' | 'from'>, replyTo: string): boolean {
  return replyTo.startsWith(`${kind === 'join' ? guestInbox(from) : inbox(from)}.`);
}
