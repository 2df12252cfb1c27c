import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../../contract/errors.js';
import {
  type Caller,
  type GuardPolicy,
  refuseAddress,
  refuseContentType,
  refuseHost,
  refuseToken,
  refuseUser,
} from '../guard.js';
import { asksForPage } from './answer-page.js';
import { isOwnOrigin } from './own-page.js';

const FIX = 'Open the dashboard itself; programs and other pages use the port of the API';

/** A request to the listener of the dashboard. */
export interface Visitor extends Caller {
  /** Whether no route takes the request. */
  isUnrouted: boolean;
  /** Returns whether the request shows a session; called only once its origin is checked. */
  hasSession: () => boolean;
}

/** The guard's decision on the listener of the dashboard, whose own pages are the only pages that may ask. */
export function refuseVisitor(visitor: Visitor, policy: GuardPolicy): DomainError | undefined {
  const { method, url, headers } = visitor;
  const isForPage = visitor.isUnrouted && asksForPage(visitor);
  return (
    refuseAddress(visitor.address, policy.exposed) ??
    refuseUser(visitor.isOtherUser ?? false, policy) ??
    refuseHost(visitor.isHostRepeated ? undefined : headers.host, policy.exposed) ??
    refuseForeignPage(headers, isForPage && method === 'GET') ??
    (isForPage || isAboutSession(url) ? undefined : refuseStranger(visitor, policy)) ??
    refuseContentType(method, headers)
  );
}

/** Returns whether a request begins, shows or ends a session, and so needs none. */
function isAboutSession(url: string): boolean {
  return url.split('?', 1)[0]?.replace(/\/$/, '') === '/session';
}

/** Asks for a session only where the token is missing: the command line and other programs show the token here, too. */
function refuseStranger(visitor: Visitor, policy: GuardPolicy): DomainError | undefined {
  // Requests through this listener count as a person's and may do everything: other tokens are for the API.
  const { isKnownToken } = policy;
  const refusal = refuseToken(visitor, { ...policy, ...(isKnownToken && { isKnownToken: () => false }) });
  return refusal !== undefined && visitor.hasSession() ? undefined : refusal;
}

/**
 * Refuses requests that pages of other origins have caused, including pages of other ports of this machine. A link to
 * the dashboard works from everywhere, but not in a frame.
 */
function refuseForeignPage(headers: IncomingHttpHeaders, isLinkable: boolean): DomainError | undefined {
  const { origin, host } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, host)) return foreign();
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  const target = headers['sec-fetch-dest'];
  const isOpened = target === undefined || target === 'document';
  return isLinkable && headers['sec-fetch-mode'] === 'navigate' && isOpened ? undefined : foreign();
}

function foreign(): DomainError {
  return new DomainError('origin-not-allowed', undefined, { fix: FIX });
}
