import type { IncomingHttpHeaders } from 'node:http';
import { CLIENT_HEADER } from '../../contract/headers.js';

/** Returns whether an `Origin` is that of the page's own server: `http://` and exactly the request's `Host`. */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

/**
 * Returns whether a request was sent by a page of the dashboard itself. Browsers send the cookies of a host to each of its
 * ports, so a cookie alone does not prove it. On a plain LAN address they send neither `Origin` nor `Sec-Fetch-Site` with
 * a GET; there the client header counts, which a page of another origin cannot send without a preflight.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return isOwnOrigin(origin, host);
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers[CLIENT_HEADER] !== undefined : site === 'same-origin';
}
