import type { FleetEvent } from '../../contract/fleet-event.js';
import type { EventLog } from './event-log.js';

/** Logs which machines of the fleet come and go, and their requests to this machine. */
export class FleetFeed {
  readonly #log: Pick<EventLog, 'append'>;

  constructor(log: Pick<EventLog, 'append'>) {
    this.#log = log;
  }

  onEvent(event: FleetEvent): void {
    this.#log.append(event, {});
  }
}
