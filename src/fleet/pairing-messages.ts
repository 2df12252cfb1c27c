import { z } from 'zod';
import { machineIdOf } from './identity.js';
import { unseal } from './signed.js';
import type { KnownMachine } from './state.js';
import { fourWords } from './words.js';

/** Messages of a machine that joins, signed by its key. It commits to its nonce before it sees the hub's. */
export const JoinMessage = z.discriminatedUnion('step', [
  z.object({
    step: z.literal('hello'),
    publicKey: z.string().length(43),
    deviceName: z.string().min(1).max(200),
    os: z.enum(['windows', 'macos', 'linux']),
    version: z.string().max(100),
    /** SHA-256 of the nonce, in base64url. */
    commitment: z.string().length(43),
  }),
  z.object({ step: z.literal('reveal'), publicKey: z.string().length(43), nonce: z.string().max(100) }),
  z.object({ step: z.literal('ask'), publicKey: z.string().length(43) }),
]);
export type JoinMessage = z.infer<typeof JoinMessage>;

/** Returns the machine that has sent this greeting, as a member of the fleet from now on. */
export function memberOf(
  hello: Extract<JoinMessage, { step: 'hello' }>,
  name = hello.deviceName,
): KnownMachine {
  const { publicKey, os, version } = hello;
  return {
    ...{ machineId: machineIdOf(publicKey), publicKey, deviceName: name, os, version },
    ...{ joinedAt: Date.now(), lastSeenAt: null },
  };
}

/**
 * Message of a guest on a server of others, signed by the key of its invitation: the server also admits other clients,
 * which can read the id of the invitation, and it does not know the invitation's secret.
 */
const GuestMessage = z.object({
  inviteId: z.string(),
  /** Number of the message, which the reply names. */
  id: z.string().max(100),
  /** The signed {@link JoinMessage}. */
  packet: z.string(),
});

/**
 * Returns the content of a guest's message on a server of others; undefined for a message from anybody else, since the
 * server lets any client publish about any invitation.
 *
 * @param key - of the guest; undefined if there is no such invitation
 */
export function saidBy(
  inviteId: string,
  key: string | undefined,
  data: Uint8Array,
): { packet: Uint8Array; id?: string } | undefined {
  const parsed = GuestMessage.safeParse(key && unseal(data, 'invited', key));
  if (!parsed.success || parsed.data.inviteId !== inviteId) return undefined;
  return { packet: Buffer.from(parsed.data.packet), id: parsed.data.id };
}

/** Additional field of the hub's reply on a server of others: the id of the message that it answers. */
export const HubReply = z.object({ re: z.string() });

/** Replies of the hub, signed by its key. */
export const HubMessage = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('hello'),
    publicKey: z.string(),
    deviceName: z.string(),
    fleetId: z.string(),
    nonce: z.string(),
  }),
  z.object({ state: z.enum(['waiting', 'approved', 'denied', 'ended']) }),
]);
export type HubMessage = z.infer<typeof HubMessage>;

/** Values that both sides have exchanged. */
export interface Exchanged {
  inviteId: string;
  /** SHA-256 of the hub's certificate, in base64url; the id of the fleet, if others run its server. */
  fingerprint: string;
  guestKey: string;
  hubKey: string;
  guestNonce: string;
  hubNonce: string;
}

/** Returns the words that both machines show. */
export function wordsOf({
  inviteId,
  fingerprint,
  guestKey,
  hubKey,
  guestNonce,
  hubNonce,
}: Exchanged): string {
  return fourWords([inviteId, fingerprint, guestKey, hubKey, guestNonce, hubNonce]);
}
