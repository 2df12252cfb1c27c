import type { Machine } from '../../../src/client/browser.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { attempt } from '../parts/toasts.js';
import { fleetAdmin } from './fleet-service.js';
import { nameOf } from './machine-words.js';
import { refreshFleet } from './use-fleet.js';

/** Asks before a machine is removed from the fleet. */
export function RemoveMachine({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const remove = async () => {
    await attempt('The machine was not removed', fleetAdmin.remove(machine.machineId));
    refreshFleet();
  };
  return (
    <AskDialog
      title={`Remove ${nameOf(machine)} from the fleet?`}
      choices={[['Remove it', () => void remove()]]}
      onClose={onClose}
    >
      <p>
        It loses its connection at once, and all that it was granted on this machine. To come back, it needs
        another invitation. Its own terminals go on.
      </p>
    </AskDialog>
  );
}
