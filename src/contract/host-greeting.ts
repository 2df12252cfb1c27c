/**
 * How the pty host and its clients greet each other. They may be of different releases: a host lives as long as its
 * terminals, and services come and go.
 *
 * A client sends `hello` with a version, and the range of versions that it speaks. The host answers with `welcome`, in the
 * newest version that both speak, or with `refused`. A release adds to the protocol by a feature, which the other side may
 * lack; it begins a new version only for a change that another release would misunderstand.
 *
 * `hello`, `welcome` and `refused` keep their numbers and the field `protocol` in every version, so that each side
 * can always recognize another version. Versions up to 8 know neither ranges nor features: they accept a hello of
 * their own version alone.
 *
 * Version 1: the first.
 * Version 2: `typeAll`.
 * Version 3: terminals on tmux, and `capture`.
 * Version 4: `type`, `typeAll` and `spawn` carry a deadline, and typing the id of its operation; `typed`.
 * Version 5: nice values.
 * Version 6: `written`.
 * Version 7: `readAll`.
 * Version 8: `signal`.
 */
import { z } from 'zod';

/** Versions of the protocol, from the oldest to the newest, both included. */
const ProtocolRange = z.object({ min: z.int(), max: z.int() });
export type ProtocolRange = z.infer<typeof ProtocolRange>;

/** The versions that this release speaks. */
export const HOST_PROTOCOLS: ProtocolRange = { min: 8, max: 8 };

/**
 * Abilities of a host beyond the oldest version of {@link HOST_PROTOCOLS}.
 *
 * - `renew`: it replaces its program in place (`renew` in host-protocol.ts).
 */
export const HostFeature = z.enum(['renew']);
export type HostFeature = z.infer<typeof HostFeature>;

/** The part of a hello, and of its answer, that every version has. */
export const AnyHello = z.object({ protocol: z.int(), protocols: ProtocolRange.optional() });
export type AnyHello = z.infer<typeof AnyHello>;

export const Hello = z.object({
  protocol: z.int(),
  protocols: ProtocolRange.optional(),
  role: z.enum(['service', 'shard']),
  instanceId: z.string().max(256),
  /** Milliseconds that terminals outlive their service. Only a service sends it. */
  orphanMs: z.int().min(0).optional(),
});
export type Hello = z.infer<typeof Hello>;

/** Facts that a client sends about itself; the connection adds the versions. */
export type Introduction = Omit<Hello, 'protocol' | 'protocols'>;

export const Welcome = z.object({
  /** Version that both speak from now on. */
  protocol: z.int(),
  pid: z.int(),
  /** Release of the host; absent from hosts before 0.1.0. */
  version: z.string().optional(),
  /** Names of features; a later release may have features that this release does not know. */
  features: z.array(z.string()).optional(),
  /** The host's TMUX_TMPDIR, empty if it has none: the host may be started otherwise than the service. */
  tmuxFolder: z.string().optional(),
});
export type Welcome = z.infer<typeof Welcome>;

const versions = { protocol: z.int(), protocols: ProtocolRange.optional() };
export const Refused = z.discriminatedUnion('reason', [
  /** Another service is connected. */
  z.object({ reason: z.literal('busy'), ...versions, instanceId: z.string() }),
  z.object({ reason: z.literal('protocol'), ...versions }),
  z.object({ reason: z.literal('invalid'), ...versions }),
]);
export type Refused = z.infer<typeof Refused>;

/** Returns the newest version that both sides speak, or null. A side without a range speaks one version. */
export function commonProtocol(ours: ProtocolRange, theirs: AnyHello): number | null {
  const { min, max } = theirs.protocols ?? { min: theirs.protocol, max: theirs.protocol };
  const newest = Math.min(ours.max, max);
  return newest >= Math.max(ours.min, min) ? newest : null;
}
