import type { Rights } from '../../actors/access/rights.js';
import type { Need, Reach, Verb } from '../../contract/access.js';
import { DomainError } from '../../contract/errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Verbs and reach that the route needs of a token. A route that declares none needs `admin` and the reach `whole`. */
    access?: Need;
  }
}

/**
 * Declares what a route needs of a token, as its `config`.
 *
 * @param verbs - all of these; none: any token will do
 * @param reach - how it treats a token that is bound to some terminals
 */
export function needs(verbs: Verb | readonly Verb[], reach: Reach): { access: Need } {
  return { access: { verbs: [verbs].flat() as Verb[], reach } };
}

/** Returns whether a client may know of a run: a bound client must see each of its terminals, and at least one. */
export function seesRun(rights: Rights, terminalIds: readonly string[]): boolean {
  return !rights.isBound || (terminalIds.length > 0 && terminalIds.every((id) => rights.sees(id)));
}

/** Throws run-not-found if the client must not know of the run. */
export function requireRun(
  runs: { terminalsOf(runId: string): readonly string[] },
  runId: string,
  rights: Rights,
): void {
  if (rights.isBound && !seesRun(rights, runs.terminalsOf(runId))) throw new DomainError('run-not-found');
}

/** Returns the needs of routes that come from a plugin and so cannot declare them: the routes of the API's page. */
export function needOfPlugin(url: string): Need | undefined {
  return /^\/docs(\/|$)/.test(url) ? needs([], 'none').access : undefined;
}
