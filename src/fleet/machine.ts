import type { Machine } from '../contract/fleet.js';
import type { Entry } from './entry.js';

/** Returns another machine of the fleet as the API lists it. */
export function machineOf({
  machineId,
  deviceName,
  os,
  online,
  lastSeenAt,
  version,
  terminals,
}: Entry): Machine {
  const facts = { machineId, deviceName, os, online, self: false, lastSeenAt, version };
  return online ? { ...facts, terminals } : facts;
}
