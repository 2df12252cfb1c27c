import type { UseRequest } from './fleet-consent.js';
import type { JoinRequest } from './fleet-machines.js';

/** Something that has happened in the fleet, as this machine sees it. */
export type FleetEvent =
  /** Another machine has come or gone. */
  | {
      type: 'machine.joined' | 'machine.online' | 'machine.offline' | 'machine.left';
      terminalId?: undefined;
      data: { machineId: string; deviceName: string; lastSeenAt: number | null };
    }
  /** At the hub: a machine waits for somebody to compare its words and let it join. */
  | { type: 'join.asked'; terminalId?: undefined; data: JoinRequest }
  /** It waits no longer. `ended`: it has begun anew, or its invitation has ended. */
  | {
      type: 'join.answered';
      terminalId?: undefined;
      data: { id: string; machineId: string; decision: 'approved' | 'denied' | 'ended' };
    }
  /** Another machine waits for somebody to approve what it wants to do here. */
  | { type: 'fleet.asked'; terminalId?: undefined; data: UseRequest }
  /** It waits no longer. `gone`: it has given up, or its grant has ended. */
  | {
      type: 'fleet.answered';
      terminalId?: undefined;
      data: { id: string; machineId: string; decision: 'approved' | 'denied' | 'expired' | 'gone' };
    };
