import { type FleetMachine, grant, makeHub, pair, startMachine } from '../../test/support/fleet.js';
import { restartAt } from '../../test/support/fleet-relay.js';
import { factsOf } from '../../test/support/fleet-wire.js';
import { createApi } from '../../test/support/http.js';
import type { Cleanup } from './cleanup.js';

/** A hub and another machine of its fleet, each a service, and a shell there in which the hub may run commands. */
export interface FleetPair {
  hub: FleetMachine;
  other: FleetMachine;
  /** Terminal of the other machine, whose shell has run its first command. */
  terminalId: string;
}

/**
 * Starts both machines until the case ends.
 *
 * @param wayTo - returns the port by which the other machine reaches the port of the hub's server, if not directly
 */
export async function startFleetPair(
  cleanup: Cleanup,
  wayTo?: (port: number) => Promise<number>,
): Promise<FleetPair> {
  const start = () => cleanup.own(startMachine(), ({ service }) => service.stop());
  const [hub, first] = await Promise.all([start(), start()]);
  await makeHub(hub);
  await pair(hub, first);
  let other = first;
  if (wayTo) {
    const port = await wayTo((await factsOf(hub)).hub.port);
    other = await cleanup.own(restartAt(port, hub, first), ({ service }) => service.stop());
  }
  await grant(other, hub, { can: ['observe', 'type', 'execute'] });
  const created = await other.api.post<{ id: string }>('/api/terminals', { command: ['bash'] });
  const terminalId = created.body.id;
  await executed(other, { terminalId });
  // Measured answers are not also checked against the API's document.
  const unchecked = (machine: FleetMachine) => ({
    ...machine,
    api: createApi(machine.service.url, { unchecked: true }),
  });
  return { hub: unchecked(hub), other: unchecked(other), terminalId };
}

/** Runs `true` in a terminal by `POST /api/fleet/execute` of a machine. Throws unless it has ended with 0. */
export async function executed({ api }: FleetMachine, where: object): Promise<void> {
  const { status, body } = await api.post<{ exitCode: number | null }>('/api/fleet/execute', {
    ...{ command: 'true', ...where },
  });
  if (status !== 200 || body.exitCode !== 0)
    throw new Error(`the routed command was answered ${status}: ${JSON.stringify(body)}`);
}
