import { randomBytes } from 'node:crypto';
import { DomainError } from '../contract/errors.js';
import type { Joining } from '../contract/fleet-machines.js';
import type { Identity } from './identity.js';
import { machineIdOf } from './identity.js';
import { inviteIdOf } from './invites.js';
import { Conversation, type ConversationFacts } from './join-conversation.js';
import { doorOf } from './join-door.js';
import { wordsOf } from './pairing-messages.js';
import type { OutsideSettings } from './servers.js';
import { sha256 } from './signed.js';
import type { FleetFacts } from './state.js';

export interface JoinOptions {
  code: string;
  identity: Identity;
  me: { deviceName: string; os: 'windows' | 'macos' | 'linux'; version: string };
  /** How this machine reaches a server that others run. */
  settings: OutsideSettings;
  /** Aborted when the service stops or the user gives up. */
  signal: AbortSignal;
}

/** A machine that has shown its words and waits for the hub. */
export interface WaitingJoin {
  words: string;
  hub: Joining['hub'];
  /** Resolves with the fleet once the hub has admitted this machine; with `denied` or `ended` if it does not. */
  done: Promise<FleetFacts | 'denied' | 'ended'>;
}

/**
 * Begins to join a fleet; resolves once both machines can show the words. Rejects with invite-invalid, hub-unreachable,
 * invite-refused, and fleet-failed if a server of others does not admit this machine.
 */
export async function joinFleet({ code, identity, me, settings, signal }: JoinOptions): Promise<WaitingJoin> {
  const door = await doorOf(code, settings);
  const inviteId = inviteIdOf(door.guest);
  const conversation = await Conversation.open({ door, inviteId, identity });
  const stop = () => void conversation.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { publicKey } = identity;
    const nonce = randomBytes(16).toString('base64url');
    const hello = await conversation.say({ step: 'hello', publicKey, ...me, commitment: sha256(nonce) });
    if (!hello) throw await whyNoReply({ door, inviteId, identity });
    if (hello.state !== 'hello') throw new DomainError('invite-refused');
    const { publicKey: hubKey, deviceName, fleetId, nonce: hubNonce } = hello;
    const words = wordsOf({
      ...{ inviteId, hubNonce, hubKey, guestNonce: nonce, guestKey: publicKey },
      fingerprint: door.fingerprint ?? fleetId,
    });
    const machineId = machineIdOf(hubKey);
    const facts: FleetFacts = {
      ...{ version: 1, role: 'member', fleetId },
      hub: { machineId, publicKey: hubKey, ...door.place },
      ...{ machines: [], invites: [], grants: [] },
    };
    const first = await conversation.say({ step: 'reveal', publicKey, nonce });
    // A reply may be lost with the configuration that admits this machine: the hub is asked again then.
    if (first && first.state !== 'waiting' && first.state !== 'approved')
      throw new DomainError('invite-refused');
    const done =
      first?.state === 'approved'
        ? Promise.resolve('approved' as const)
        : conversation.answer(publicKey, signal);
    return {
      ...{ words, hub: { machineId, deviceName } },
      done: done
        .then((state) => (state === 'approved' ? facts : state))
        .finally(() => {
          signal.removeEventListener('abort', stop);
          return conversation.close();
        }),
    };
  } catch (error) {
    signal.removeEventListener('abort', stop);
    await conversation.close();
    throw error;
  }
}

/** Finds out why the hub has not replied, by logging in again: the server refuses a guest whose invitation has ended. */
async function whyNoReply(facts: ConversationFacts): Promise<DomainError> {
  try {
    await (await Conversation.open(facts)).close();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  const message =
    "The hub's server can be reached, but the hub's service does not answer: it may be starting";
  return new DomainError('hub-unreachable', message);
}
