import { isOlder } from '../contract/version.js';

/**
 * Returns advice on a service whose release differs from that of this command; empty if it is the same. Both are
 * versions of this project, such as `0.10.2`.
 */
export function skewFix(command: string, service: string): string {
  if (command === service) return '';
  return isOlder(service, command)
    ? `It is older than this command (${command}): auto-terminal restart`
    : `It is newer than this command (${command}): install auto-terminal ${service} here`;
}
