import type { ReachedMachine } from '../../../src/client/browser.js';
import { Age } from '../parts/age.js';
import type { Phase } from '../terminal/session-state.js';
import { asksSomebody, nameOf } from './machine-words.js';

interface RemoteNoteProps {
  machine: ReachedMachine;
  phase: Phase;
  isWatching: boolean;
}

/** The state between this window and the other machine; nothing while all is well. */
export function RemoteNote({ machine, phase, isWatching }: RemoteNoteProps) {
  const name = nameOf(machine);
  if (!machine.online) {
    return (
      <p className="remote-note">
        <span role="alert">
          {name} cannot be reached. The screen is as it was; it goes on by itself once {name} is back.
        </span>{' '}
        <Age since={machine.lastSeenAt ?? undefined} />
      </p>
    );
  }
  if (phase.name === 'opening' && asksSomebody(machine)) {
    return (
      <p className="remote-note" role="status">
        It may be that a person at {name} has to approve this first.
      </p>
    );
  }
  if (!isWatching || phase.name !== 'live') return null;
  return (
    <p className="remote-note" role="status">
      You only watch: {name} does not let this machine type here.
    </p>
  );
}
