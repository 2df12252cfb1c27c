import type { FleetStatus, Joining } from '../contract/fleet-machines.js';
import type { FleetLink } from './link.js';
import type { FleetFacts } from './state.js';

export interface StatusParts {
  facts: FleetFacts | undefined;
  machineId: string | undefined;
  link: Pick<FleetLink, 'state' | 'reason'> | undefined;
  joining: Joining | undefined;
}

/** Returns what this machine says of its place in a fleet. */
export function statusOf({ facts, machineId, link, joining }: StatusParts): FleetStatus {
  return {
    role: facts?.role ?? 'none',
    machineId: (facts && machineId) ?? null,
    fleetId: facts?.fleetId ?? null,
    hub: facts ? { machineId: facts.hub.machineId, address: facts.hub.host, port: facts.hub.port } : null,
    link: link?.state ?? 'off',
    reason: link?.reason ?? null,
    joining: joining ?? null,
  };
}
