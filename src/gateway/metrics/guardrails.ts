import { Counter } from 'prom-client';
import type { Page } from './page.js';
import type { MetricsSources } from './sources.js';

/** Writes the figures of leases, of refusals, and of creations and writers that wait for their turn. */
export function writeGuardrails(page: Page, { admission, gate, access }: MetricsSources): void {
  page.gauge('creations_waiting', 'Creations of terminals that wait in line at a limit.', admission.length);
  page.family(
    Counter,
    ['creations_refused_total', 'Creations of terminals refused at a limit, by the limit.', 'limit'],
    admission.refused,
  );
  const { waiting, leases, figures } = gate;
  page.gauge('input_waiting', 'Writers and requests for a lease that wait in line for a terminal.', waiting);
  page.family(
    Counter,
    [
      'input_refused_total',
      'Writes and requests for a lease that the input gate refused, by the reason.',
      'reason',
    ],
    figures.refused,
  );
  page.gauge('leases_held', 'Terminals of which a program has the lease.', leases);
  page.counter('leases_taken_total', 'Leases of terminals that were given.', figures.leasesTaken);
  page.family(
    Counter,
    [
      'leases_ended_total',
      'Leases of terminals that have ended, by how: takeover, person and others.',
      'why',
    ],
    figures.leasesEnded,
  );
  page.family(
    Counter,
    [
      'access_refused_total',
      'Requests answered 401 or 403, and 404 to clients whose token is bound to some terminals, by status.',
      'status',
    ],
    access.refused,
  );
}
