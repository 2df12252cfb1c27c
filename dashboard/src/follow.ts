import { FleetFollower } from './fleet/fleet-follower.js';
import { screenHub } from './screens/screen-hub.js';

/** Longest wait for the first screens; a page may show none. */
const FIRST_SCREENS_MS = 250;

let ending: AbortController | undefined;

/** Lists the terminals, and follows them and their screens, unless the page does so already. */
export function startFollowing(): void {
  if (ending) return;
  ending = new AbortController();
  const follower = new FleetFollower(ending.signal, () => screenHub.untilShown(FIRST_SCREENS_MS));
  void follower.showEarly();
  void screenHub.run(ending.signal, follower);
}

export function stopFollowing(): void {
  ending?.abort();
  ending = undefined;
}
