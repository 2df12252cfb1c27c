import { z } from 'zod';
import type { FleetFacts, KnownMachine } from './state.js';

/** The versions of the protocol that this release speaks. */
export const PROTOCOLS = { min: 1, max: 1 } as const;

/** Description of itself that a machine sends every few seconds. */
export const Heartbeat = z.object({
  epoch: z.string().max(100),
  /** Number of the connection within this start: messages under way on an earlier connection may be lost. */
  link: z.int().min(0),
  /** The server's number of the connection on which it is sent; absent from machines of the first release. */
  connection: z.int().optional(),
  deviceName: z.string().max(1_000),
  os: z.enum(['windows', 'macos', 'linux']),
  version: z.string().max(100),
  terminals: z.int().min(0),
  /** Versions of the protocol that it speaks; heartbeats of the first release have none. */
  protocols: z.object({ min: z.int(), max: z.int() }).default({ min: 1, max: 1 }),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

/** A machine as the hub describes it to all. */
export const Entry = Heartbeat.extend({
  machineId: z.string(),
  publicKey: z.string(),
  online: z.boolean(),
  lastSeenAt: z.number().nullable(),
  /**
   * Time when it joined, by the hub's clock: another time shows that it has joined again. Absent from hubs of the first
   * release.
   */
  joinedAt: z.number().optional(),
  /** Whether the hub's service, which has just started, has not heard from it: whether it is online is not known yet. */
  isUnheard: z.boolean().optional(),
});
export type Entry = z.infer<typeof Entry>;

/** A change of the directory, or with `isWhole` all of it. */
export const Changes = z.object({
  isWhole: z.boolean(),
  machines: z.array(Entry),
  removed: z.array(z.string()),
});
export type Changes = z.infer<typeof Changes>;

/** Returns the entry of a machine that has not been heard from since the service started. */
export function offline(known: KnownMachine): Entry {
  return { ...known, epoch: '', link: 0, terminals: 0, protocols: { ...PROTOCOLS }, online: false };
}

/** Returns the entry of a machine that was just heard. Its name in the fleet stays. */
export function online(known: KnownMachine, beat: Heartbeat): Entry {
  const { machineId, publicKey, deviceName, joinedAt } = known;
  return { ...beat, machineId, publicKey, deviceName, joinedAt, online: true, lastSeenAt: Date.now() };
}

/** Returns the machines to store: at the hub, its own list with the times last seen; elsewhere, the directory's list. */
export function machinesKept(
  { role, machines }: Pick<FleetFacts, 'role' | 'machines'>,
  entries: ReadonlyMap<string, Entry>,
): KnownMachine[] {
  if (role === 'hub')
    return machines.map((known) => {
      const { version = known.version, lastSeenAt = null } = entries.get(known.machineId) ?? {};
      return { ...known, version, lastSeenAt };
    });
  return [...entries.values()].map(
    ({ machineId, publicKey, deviceName, os, version, lastSeenAt, joinedAt }) => ({
      ...{ machineId, publicKey, deviceName, os, version, lastSeenAt, joinedAt },
    }),
  );
}
