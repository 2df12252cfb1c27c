import { lazy, Suspense } from 'react';
import { useFleet } from '../fleet/fleet-store.js';

const WaitingBadge = lazy(() => import('./waiting-badge.js'));

/** How much of the fleet waits for a person, for the navigation. What asks for it is loaded once the page has its terminals. */
export function MachinesBadge() {
  const isListed = useFleet((state) => state.link !== 'checking');
  if (!isListed) return null;
  return (
    <Suspense>
      <WaitingBadge />
    </Suspense>
  );
}
