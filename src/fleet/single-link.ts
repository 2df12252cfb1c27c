import { DomainError } from '../contract/errors.js';
import { FleetLinkClient } from '../workers/fleet-link/link-client.js';
import type { FleetServer, LinkState } from '../workers/fleet-link/protocol.js';

export interface SingleLinkFacts {
  server: FleetServer;
  name: string;
  inbox: string;
  /** Subjects to listen to. */
  calls: readonly string[];
}

/** A link that was made once, and is not made again. */
export interface SingleLink {
  client: FleetLinkClient;
  /** Resolves when it has ended. */
  ended: Promise<unknown>;
}

/** Why there is no link. */
export interface NoLink {
  state: LinkState;
  reason: string | undefined;
}

/** Connects to a server once. Resolves with the link, which the caller terminates; or with why there is none. */
export async function connectOnce(facts: SingleLinkFacts): Promise<SingleLink | NoLink> {
  let tell!: (told: NoLink) => void;
  const told = new Promise<NoLink>((resolve) => {
    tell = resolve;
  });
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const client = new FleetLinkClient({
    ...facts,
    isLasting: false,
    onState: (state, reason) => {
      tell({ state, reason });
      if (state !== 'connected') end();
    },
    onMessage: () => undefined,
  });
  const died = client.died.then((error): NoLink => ({ state: 'connecting', reason: error.message }));
  const first = await Promise.race([told, died]);
  if (first.state === 'connected') return { client, ended: Promise.race([ended, client.died]) };
  await client.terminate();
  return first;
}

/** Returns why a server that others run lets this machine into no fleet. */
export function outsideError({ state, reason = 'no answer' }: NoLink): DomainError {
  const how = state === 'refused' ? 'does not admit this machine' : 'cannot be reached';
  return new DomainError('fleet-failed', `The server of fleet.url ${how}: ${reason}`);
}
