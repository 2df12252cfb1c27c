import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { JoinRequest, UseRequest } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { useFleet } from '../fleet/fleet-store.js';
import { queries } from '../parts/queries.js';
import { fleetAdmin } from './fleet-service.js';

const KEY = 'fleet';
/** Pause between two requests for grants, the link to the hub, and terminals of other machines: these have no events. */
const REFRESH_MS = 5_000;
/** Pause between two requests for the rights here: the service then asks each other machine. */
const RIGHTS_MS = 15_000;

/** All that waits for a person at this machine. */
export interface Waiting {
  requests: readonly JoinRequest[];
  uses: readonly UseRequest[];
}

const NOTHING: Waiting = { requests: [], uses: [] };

/** Asks again for all that pages show of the fleet. */
export function refreshFleet(): void {
  void queries.invalidateQueries({ queryKey: [KEY] });
}

/** Asks again when an event says that the fleet has changed, and once the service is there again. */
export function useFleetNews(): void {
  useServiceEvents('machine.', refreshFleet);
  useServiceEvents('join.', refreshFleet);
  useServiceEvents('fleet.', refreshFleet);
  const link = useFleet((state) => state.link);
  const isLost = useRef(false);
  useEffect(() => {
    if (link === 'offline') isLost.current = true;
    else if (isLost.current) {
      isLost.current = false;
      refreshFleet();
    }
  }, [link]);
}

/** The place of this machine in a fleet. `isFollowed`: asks again and again, since parts of it have no events. */
export function useFleetStatus(isFollowed = false) {
  return useQuery({
    queryKey: [KEY, 'status'],
    queryFn: ({ signal }) => fleetAdmin.status({ signal }),
    ...(isFollowed && { refetchInterval: REFRESH_MS }),
  });
}

/** Whether this machine is in a fleet; false as long as that is unknown. */
export function useIsInFleet(): boolean {
  const { data } = useFleetStatus();
  return data !== undefined && data.role !== 'none';
}

/** This machine and all others, with what each lets this one do. */
export function useMachines() {
  return useQuery({
    queryKey: [KEY, 'machines'],
    queryFn: ({ signal }) => fleetAdmin.machines({ signal }),
    refetchInterval: RIGHTS_MS,
  });
}

/** What other machines may do here. */
export function useGrants() {
  const enabled = useIsInFleet();
  return useQuery({
    queryKey: [KEY, 'grants'],
    queryFn: ({ signal }) => fleetAdmin.grants({ signal }),
    refetchInterval: REFRESH_MS,
    enabled,
  });
}

/** What waits for a person, the oldest first. */
export function useWaiting(): Waiting {
  const enabled = useIsInFleet();
  const { data } = useQuery({
    queryKey: [KEY, 'waiting'],
    queryFn: ({ signal }) => fleetAdmin.waiting({ signal }),
    enabled,
  });
  return (enabled && data) || NOTHING;
}

/** The running terminals of all machines, and the machines that could not be asked. */
export function useRoster() {
  const enabled = useIsInFleet();
  return useQuery({
    queryKey: [KEY, 'terminals'],
    queryFn: ({ signal }) => fleetAdmin.roster({ signal }),
    refetchInterval: REFRESH_MS,
    enabled,
  });
}
