import { MAX_PORT } from '../contract/limits.js';

/** Host and port of an authority as a header spells it; the port is undefined when the header has none. */
interface Authority {
  host: string;
  port: number | undefined;
}

const AUTHORITY = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?<port>\d{1,5}))?$/;
const LOCALHOST = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*localhost$/;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const LOOPBACK_IPV4 = new RegExp(`^127(?:\\.${OCTET}){3}$`);

/** Parses `host` or `host:port`. Returns undefined for userinfo, paths, spaces and anything else that is not an authority. */
export function parseAuthority(text: string): Authority | undefined {
  const groups = AUTHORITY.exec(text.toLowerCase())?.groups;
  if (groups?.host === undefined) return undefined;
  const port = groups.port === undefined ? undefined : Number(groups.port);
  if (port !== undefined && port > MAX_PORT) return undefined;
  return { host: groups.host, port };
}

/**
 * Accepts only spellings that no resolver can send elsewhere: `localhost` and names under it, dotted quads of
 * 127.0.0.0/8, `[::1]`. Short and hexadecimal forms, mapped addresses and a trailing dot are refused: browsers never
 * send them, and parsers disagree on them.
 */
function isLoopbackName(host: string): boolean {
  return host === '[::1]' || LOCALHOST.test(host) || LOOPBACK_IPV4.test(host);
}

/** Returns whether a `Host` header names this machine's loopback, with any port. */
export function isLoopbackHost(header: string | undefined): boolean {
  const authority = header === undefined ? undefined : parseAuthority(header);
  return authority !== undefined && isLoopbackName(authority.host);
}

/** Returns whether an address is of the loopback, also in the form that an IPv6 socket gives an IPv4 address. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || LOOPBACK_IPV4.test(address.replace(/^::ffff:/, ''));
}

/**
 * Returns whether an `Origin` header is `http://`, a loopback name and exactly this port. Of the addresses only the two
 * on which we listen count: at 127.0.0.2 another user may serve pages.
 */
export function isLoopbackOrigin(origin: string, port: number): boolean {
  // A port setting of 0 means that the port is not known (yet), and no page is served from port 0.
  if (port === 0) return false;
  const match = /^http:\/\/(.*)$/i.exec(origin);
  const authority = match?.[1] === undefined ? undefined : parseAuthority(match[1]);
  if (authority === undefined || (authority.port ?? 80) !== port) return false;
  const { host } = authority;
  return host === '127.0.0.1' || host === '[::1]' || LOCALHOST.test(host);
}
