import type { Logger } from 'pino';
import type { HostTerminal } from '../contract/host-protocol.js';
import type { Leaving } from './leaving.js';
import type { Registry } from './registry.js';
import { recordOf } from './terminal-record.js';

/**
 * Adds the terminals of a pty host to the registry, and returns the ids of terminals that it lacked. Removes the
 * terminals that the host does not list, whose record the disk did not take before their host was killed, and returns
 * their ids as `lost`. A killed host's successor lists its terminals under the same handles; the registry has them as
 * exited already. A terminal that is being closed is not taken in again.
 */
export function takeIn(
  listed: readonly HostTerminal[],
  { registry, leaving }: { registry: Registry; leaving: Pick<Leaving, 'has'> },
  logger: Logger,
): { taken: string[]; lost: string[] } {
  const added = listed.filter(({ id }) => !registry.find(id) && !leaving.has(id));
  // The registry drops exited terminals in the order in which they were added, so the oldest exit is added first.
  for (const terminal of added.toSorted((a, b) => exitOf(a) - exitOf(b)))
    registry.add(recordOf(terminal, logger));
  const there = new Set(listed.map(({ id }) => id));
  const lost = registry.list('all').flatMap(({ id }) => (there.has(id) ? [] : [id]));
  for (const id of lost) registry.remove(id);
  return { taken: added.map(({ id }) => id), lost };
}

/** Returns when a terminal has exited; 0 if it runs. */
function exitOf({ exit }: HostTerminal): number {
  return exit?.exitedAt ?? 0;
}

/** Logs that the terminals with these ids were taken from a pty host. */
export function logTaken(
  taken: readonly string[],
  registry: Pick<Registry, 'get'>,
  host: object,
  logger: Pick<Logger, 'info'>,
): void {
  if (taken.length === 0) return;
  const terminals = taken.filter((id) => !registry.get(id).exit).length;
  const counts = { terminals, exited: taken.length - terminals };
  logger.info({ ...counts, ...host }, 'the terminals of the pty host were adopted');
}
