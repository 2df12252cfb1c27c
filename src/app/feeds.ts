import { AdmissionFeed } from '../actors/event-log/admission-feed.js';
import { FleetFeed } from '../actors/event-log/fleet-feed.js';
import { ServiceFeed } from '../actors/event-log/service-feed.js';
import { TerminalFeed } from '../actors/event-log/terminal-feed.js';
import type { LiveConfig } from '../config/live-config.js';
import type { Machines } from '../fleet/machines.js';
import type { RunningEngine } from './engine.js';
import type { State } from './state.js';

export interface FeedParts {
  config: LiveConfig;
  state: State;
  engine: RunningEngine;
  machines: Pick<Machines, 'events'>;
}

/** Creates the feeds that write the log of events: from terminals, and from the other parts of the service. */
export function createFeeds({ config, state, engine: { terminals }, machines }: FeedParts) {
  const { events: log, recordings, layout, canvas } = state;
  const ofTerminals = new TerminalFeed({ log, terminals });
  const ofService = new ServiceFeed({
    ...{ log, recordings, layout, canvas },
    settings: () => config.current,
    labelsOf: (id) => ofTerminals.labelsOf(id),
  });
  const ofAdmission = new AdmissionFeed(log);
  terminals.admission.onChanged((change) => ofAdmission.onChange(change));
  const ofFleet = new FleetFeed(log);
  machines.events.subscribe((event) => ofFleet.onEvent(event));
  return { ofTerminals, ofService, ofAdmission };
}
