import { useState } from 'react';
import type { Invite } from '../../../src/client/browser.js';
import { SecretDialog } from '../guardrails/secret-dialog.js';
import { FormDialog } from '../parts/form-dialog.js';
import { Field } from '../settings/section.js';
import { fleetAdmin } from './fleet-service.js';

/** Makes an invitation for one machine, and shows its code once. */
export function InviteMachine({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [made, setMade] = useState<Invite>();
  const make = () => {
    const as = name.trim();
    return fleetAdmin.invite(as === '' ? {} : { as }).then(setMade);
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
    <FormDialog
      title="Invite a machine"
      send="Make the invitation"
      failed="No invitation was made"
      onSend={make}
      // The code comes in its place.
      onSent={() => undefined}
      onClose={onClose}
    >
      <Field label="Name in the fleet" hint="Empty: its own name">
        <input
          data-first
          autoComplete="off"
          value={name}
          maxLength={200}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
    </FormDialog>
  );
}
