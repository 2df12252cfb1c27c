import { type FormEvent, useState } from 'react';
import type { Invite } from '../../../src/client/browser.js';
import { SecretDialog } from '../guardrails/secret-dialog.js';
import { Dialog } from '../parts/dialog.js';
import { attempt } from '../parts/toasts.js';
import { Field } from '../settings/section.js';
import { fleetAdmin } from './fleet-service.js';

/** Makes an invitation for one machine, and shows its code once. */
export function InviteMachine({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [made, setMade] = useState<Invite>();
  const make = async (event: FormEvent) => {
    event.preventDefault();
    const as = name.trim();
    await attempt('No invitation was made', fleetAdmin.invite(as === '' ? {} : { as }).then(setMade));
  };
  if (made) {
    return (
      <SecretDialog
        title="Run this on the other machine"
        secret={`auto-terminal fleet join ${made.code}`}
        onClose={onClose}
      >
        It lets one machine ask to join, until {new Date(made.expiresAt).toLocaleTimeString()}. That machine
        then shows four words; compare them with those that come up here.
      </SecretDialog>
    );
  }
  return (
    <Dialog title="Invite a machine" onClose={onClose}>
      <form className="dialog-body" onSubmit={make}>
        <Field label="Name in the fleet" hint="Empty: its own name">
          <input
            data-first
            autoComplete="off"
            value={name}
            maxLength={200}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <p className="buttons">
          <button type="submit">Make the invitation</button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
