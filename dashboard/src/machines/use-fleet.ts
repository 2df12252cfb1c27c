import { useQuery } from '@tanstack/react-query';
import type { JoinRequest, UseRequest } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { queries } from '../parts/queries.js';
import { fleetAdmin } from './fleet-service.js';

const KEY = 'fleet';
/** Pause between two requests for grants, the link to the hub, and terminals of other machines: these have no events. */
const REFRESH_MS = 5_000;
/** Pause between two requests for the rights here: the service then asks each other machine. */
const RIGHTS_MS = 15_000;

/** Requests that wait for a person at this machine. */
export interface Waiting {
  requests: readonly JoinRequest[];
  uses: readonly UseRequest[];
}

const NOTHING: Waiting = { requests: [], uses: [] };

/** Reloads all data of the fleet that pages show. */
export function refreshFleet(): void {
  void queries.invalidateQueries({ queryKey: [KEY] });
}

/** Reloads the data when an event reports a change of the fleet. */
export function useFleetNews(): void {
  useServiceEvents('machine.', refreshFleet);
  useServiceEvents('join.', refreshFleet);
  useServiceEvents('fleet.', refreshFleet);
}

/** Returns the state of this machine in a fleet. `isFollowed`: polls it, since parts of it have no events. */
export function useFleetStatus(isFollowed = false) {
  return useQuery({
    queryKey: [KEY, 'status'],
    queryFn: ({ signal }) => fleetAdmin.status({ signal }),
    ...(isFollowed && { refetchInterval: REFRESH_MS }),
  });
}

/** Returns whether this machine is in a fleet; false while that is unknown. */
export function useIsInFleet(): boolean {
  const { data } = useFleetStatus();
  return data !== undefined && data.role !== 'none';
}

/** Returns this machine and all others, each with its grants to this machine. */
export function useMachines() {
  return useQuery({
    queryKey: [KEY, 'machines'],
    queryFn: ({ signal }) => fleetAdmin.machines({ signal }),
    refetchInterval: RIGHTS_MS,
  });
}

/** Returns the grants to other machines. */
export function useGrants() {
  const enabled = useIsInFleet();
  return useQuery({
    queryKey: [KEY, 'grants'],
    queryFn: ({ signal }) => fleetAdmin.grants({ signal }),
    refetchInterval: REFRESH_MS,
    enabled,
  });
}

/** Returns the requests that wait for a person, oldest first. */
export function useWaiting(): Waiting {
  const enabled = useIsInFleet();
  const { data } = useQuery({
    queryKey: [KEY, 'waiting'],
    queryFn: ({ signal }) => fleetAdmin.waiting({ signal }),
    enabled,
  });
  return (enabled && data) || NOTHING;
}

/** Returns the running terminals of all machines, and the machines that could not be asked. */
export function useRoster() {
  const enabled = useIsInFleet();
  return useQuery({
    queryKey: [KEY, 'terminals'],
    queryFn: ({ signal }) => fleetAdmin.roster({ signal }),
    refetchInterval: REFRESH_MS,
    enabled,
  });
}
