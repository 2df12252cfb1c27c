import { z } from 'zod';

/** What a machine says of itself every few seconds. */
export const Heartbeat = z.object({
  epoch: z.string().max(100),
  /** Counts the connections of this start: what was on its way over an earlier one may be lost. */
  link: z.int().min(0),
  deviceName: z.string().max(1_000),
  os: z.enum(['windows', 'macos', 'linux']),
  version: z.string().max(100),
  terminals: z.int().min(0),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

/** A machine as the hub describes it to all. */
export const Entry = Heartbeat.extend({
  machineId: z.string(),
  publicKey: z.string(),
  online: z.boolean(),
  lastSeenAt: z.number().nullable(),
});
export type Entry = z.infer<typeof Entry>;

/** A change of the directory, or with `isWhole` all of it. */
export const Changes = z.object({
  isWhole: z.boolean(),
  machines: z.array(Entry),
  removed: z.array(z.string()),
});
