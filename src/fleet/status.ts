import type { FleetStatus, Joining } from '../contract/fleet-machines.js';
import { outsideServersOf } from '../contract/fleet-setting.js';
import type { FleetLink } from './link.js';
import { type FleetFacts, ownServerOf } from './state.js';

export interface StatusParts {
  facts: FleetFacts | undefined;
  machineId: string | undefined;
  link: Pick<FleetLink, 'state' | 'reason'> | undefined;
  joining: Joining | undefined;
  isRemoved: boolean;
  /** The setting `fleet.url`. */
  url: string | undefined;
}

/** Returns the status of this machine in its fleet. */
export function statusOf({ facts, machineId, link, joining, isRemoved, url }: StatusParts): FleetStatus {
  return {
    role: facts?.role ?? 'none',
    machineId: (facts && machineId) ?? null,
    fleetId: facts?.fleetId ?? null,
    hub: facts ? hubIn(facts, url) : null,
    link: isRemoved ? 'refused' : (link?.state ?? 'off'),
    reason: isRemoved
      ? 'The hub has removed this machine from the fleet, or has ended the fleet'
      : (link?.reason ?? null),
    joining: joining ?? null,
  };
}

function hubIn(facts: FleetFacts, url: string | undefined): FleetStatus['hub'] {
  const { machineId } = facts.hub;
  const own = ownServerOf(facts);
  if (own) return { machineId, address: own.host, port: own.port };
  const [first] = (url === undefined ? undefined : outsideServersOf(url)) ?? [];
  return { machineId, address: first?.host ?? '', port: first?.port ?? 0, url: url ?? '' };
}
