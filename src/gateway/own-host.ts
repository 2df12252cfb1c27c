import { hostname, networkInterfaces } from 'node:os';
import { parseAuthority } from './loopback.js';

/** Returns the names of this machine: its host name, whole and short, and its name in the local network. */
function ownNames(): string[] {
  const name = hostname().toLowerCase();
  const short = name.split('.', 1)[0] ?? name;
  return [name, short, `${short}.local`];
}

/** Looks the addresses up each time, since they change while a service runs (a VPN, another network). */
function ownAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
}

/** Returns whether a `Host` header names this machine, by one of its names or addresses, with any port. */
export function isOwnHost(header: string | undefined): boolean {
  const host = header === undefined ? undefined : parseAuthority(header)?.host;
  return host !== undefined && (ownNames().includes(host) || ownAddresses().includes(host));
}
