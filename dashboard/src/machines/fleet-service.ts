import type { AutoTerminal } from '../../../src/client/browser.js';
import { FleetAdmin, machineAt } from '../../../src/client/browser-fleet.js';
import { service } from '../service.js';

/** The fleet of the machine that serves this page. */
export const fleetAdmin = new FleetAdmin(service);

const others = new Map<string, AutoTerminal>();

/**
 * Returns the client of another machine of the fleet, the same object each time. Calls to a machine that is away are
 * not repeated.
 */
export function machineOf(machineId: string): AutoTerminal {
  const known = others.get(machineId);
  if (known) return known;
  const mayRepeat = (error: { code?: string }) => error.code !== 'machine-unreachable';
  const machine = machineAt(location.origin, machineId, { mayRepeat });
  others.set(machineId, machine);
  return machine;
}
