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
  /** At the hub: a machine waits for a person to compare its words and let it join. */
  | { type: 'join.asked'; terminalId?: undefined; data: JoinRequest }
  /** The machine no longer waits. `ended`: it has begun again, or its invitation has ended. */
  | {
      type: 'join.answered';
      terminalId?: undefined;
      data: { id: string; machineId: string; decision: 'approved' | 'denied' | 'ended' };
    }
  /** Another machine waits for a person to approve its request. */
  | { type: 'fleet.asked'; terminalId?: undefined; data: UseRequest }
  /** The other machine no longer waits. `gone`: it has given up, or its grant has ended. */
  | {
      type: 'fleet.answered';
      terminalId?: undefined;
      data: { id: string; machineId: string; decision: 'approved' | 'denied' | 'expired' | 'gone' };
    };
