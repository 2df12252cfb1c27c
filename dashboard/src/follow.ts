import { FleetFollower } from './fleet/fleet-follower.js';
import { screenHub } from './screens/screen-hub.js';

let ending: AbortController | undefined;

/** Lists the terminals, and follows them and their screens, unless the page does so already. */
export function startFollowing(): void {
  if (ending) return;
  ending = new AbortController();
  const follower = new FleetFollower(ending.signal, {
    untilShown: () => screenHub.untilShown(),
    // The wall alone shows so many screens.
    expect: (ids) => location.pathname === '/' && screenHub.expect(ids),
  });
  void follower.showEarly();
  void screenHub.run(ending.signal, follower);
}

export function stopFollowing(): void {
  ending?.abort();
  ending = undefined;
}
