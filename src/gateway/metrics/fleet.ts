import { Counter, Gauge } from 'prom-client';
import type { FleetFigures } from '../../fleet/machines.js';
import type { Page } from './page.js';

/** Writes the figures of the fleet over machines, which a machine in no fleet does not have. */
export function writeFleet(page: Page, figures: FleetFigures | undefined): void {
  if (!figures) return;
  const { online, offline, counts } = figures;
  const machines = Object.entries({ online, offline });
  page.family(
    Gauge,
    ['fleet_machines', 'Other machines of the fleet, as this one sees them.', 'state'],
    machines,
  );
  page.counter('fleet_calls_routed_total', 'Requests to other machines, each try.', counts.routed);
  page.counter('fleet_calls_repeated_total', 'Tries after a machine was lost.', counts.repeated);
  page.counter(
    'fleet_calls_unknown_total',
    'Requests of which nobody knows whether they took effect.',
    counts.unknown,
  );
  page.counter('fleet_calls_served_total', 'Requests of other machines that were taken.', counts.served);
  page.counter('fleet_calls_refused_total', 'Requests of other machines that were refused.', counts.refused);
  page.family(
    Counter,
    ['fleet_bytes_total', 'Bytes of requests and answers between machines, by direction.', 'direction'],
    Object.entries({ sent: counts.sentBytes, received: counts.receivedBytes }),
  );
  page.counter('fleet_reconnects_total', 'Times that the link to the hub was made anew.', counts.reconnects);
}
