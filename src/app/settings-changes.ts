import type { ServiceFeed } from '../actors/event-log/service-feed.js';
import type { Terminals } from '../actors/terminals.js';
import type { LiveConfig } from '../config/live-config.js';
import type { ServiceFile } from './service-file.js';
import type { State } from './state.js';

export interface FollowingParts {
  config: LiveConfig;
  state: State;
  terminals: Terminals;
  events: Pick<ServiceFeed, 'settingsChanged'>;
  serviceFile: Pick<ServiceFile, 'write'>;
}

/** Has the parts of the service look at the settings that they follow, now and after each change. */
export function followSettings({ config, state, terminals, events, serviceFile }: FollowingParts): void {
  const feed = () => void terminals.shards.then((shards) => shards.feed());
  state.audit.settingsChanged();
  config.onChanged(() => {
    feed();
    state.retention.look();
    terminals.admission.look();
    state.audit.settingsChanged();
    events.settingsChanged();
    void serviceFile.write();
  });
  state.disk.onChanged(() => {
    feed();
    // A full disk may have kept it from being written.
    void serviceFile.write();
  });
}
