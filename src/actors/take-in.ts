import type { Logger } from 'pino';
import type { HostTerminal } from '../contract/host-protocol.js';
import type { Registry } from './registry.js';
import { recordOf } from './terminal-record.js';

/**
 * Takes in the terminals of a pty host, and gives the ids of those that are known here and not there: they are removed,
 * since the disk has not taken their record. After a host was killed the next one has its terminals under the same
 * handles; they are known as exited already.
 */
export function takeIn(listed: readonly HostTerminal[], registry: Registry, logger: Logger): string[] {
  for (const terminal of listed) {
    if (!registry.find(terminal.id)) registry.add(recordOf(terminal, logger));
  }
  const there = new Set(listed.map(({ id }) => id));
  const lost = registry.list('all').flatMap(({ id }) => (there.has(id) ? [] : [id]));
  for (const id of lost) registry.remove(id);
  return lost;
}
