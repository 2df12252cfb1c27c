import { useFleet } from '../fleet/fleet-store.js';
import { late } from '../parts/late.js';

const WaitingBadge = late(() => import('./waiting-badge.js'));

/** The number of requests that wait for a person, for the navigation. Its code is loaded once the page has its terminals. */
export function MachinesBadge() {
  const isListed = useFleet((state) => state.link !== 'checking');
  if (!isListed) return null;
  return <WaitingBadge />;
}
