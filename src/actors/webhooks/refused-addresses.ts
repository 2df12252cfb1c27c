import { type LookupAllOptions, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Link-local addresses, and addresses at which clouds serve the credentials of the machine: nobody runs a receiver there,
 * and a webhook must not be a way to reach them.
 */
const REFUSED: readonly [address: string, prefix: number][] = [
  // Link-local, with the metadata of nearly all clouds (169.254.169.254).
  ['169.254.0.0', 16],
  ['fe80::', 10],
  // Metadata of AWS, Google and Scaleway over IPv6; of Alibaba and Oracle; the host of Azure.
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  ['fd00:42::42', 128],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
];

/**
 * Prefixes under which IPv6 holds an IPv4 address, with the bits before that address: IPv4-compatible (RFC 4291),
 * IPv4-translated (RFC 2765), NAT64 (RFC 6052), NAT64 of the local network (RFC 8215), 6to4 (RFC 3056). IPv4-mapped
 * addresses need no entry.
 */
const EMBEDDED: readonly [prefix: string, bits: number][] = [
  ['::', 96],
  ['::ffff:0:', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 96],
  ['2002:', 16],
];

const refused = blockList();

/** Returns whether nothing is ever sent to this IP address, in any notation. */
export function isRefused(address: string): boolean {
  const [bare = ''] = address.split('%');
  const family = isIP(bare);
  return family !== 0 && refused.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns the host of a URL as a socket takes it: without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Looks a name up; as `dns.lookup`. */
export type Resolve = (
  name: string,
  options: LookupAllOptions,
  answer: (error: Error | null, addresses: { address: string; family: number }[]) => void,
) => void;

/**
 * Returns a lookup for sockets that fails for a name with a refused address. The socket connects to the address that
 * this lookup has answered, so that a name cannot change its address between the check and the connection.
 */
export function guardedLookup(resolve: Resolve = systemLookup): LookupFunction {
  return (name, options: LookupOptions, answer) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error) {
        answer(error, '');
        return;
      }
      const bad = addresses.find(({ address }) => isRefused(address));
      const first = addresses[0];
      if (bad) answer(refusal(bad.address), '');
      else if (!first) answer(new Error('the name has no address'), '');
      else if (options.all) answer(null, addresses);
      else answer(null, first.address, first.family);
    });
  };
}

/** Returns why nothing is sent to an address. */
export function refusal(address: string): Error {
  return new Error(`the address ${address} is refused: it is link-local, or serves credentials of a cloud`);
}

function blockList(): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of REFUSED) {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, prefix, family);
    if (family === 'ipv6') continue;
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    const high = ((a << 8) | b).toString(16);
    const low = ((c << 8) | d).toString(16);
    for (const [start, bits] of EMBEDDED)
      list.addSubnet(`${start}${high}:${low}${bits < 96 ? '::' : ''}`, bits + prefix, 'ipv6');
  }
  return list;
}
