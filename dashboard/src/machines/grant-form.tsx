import { useState } from 'react';
import type { Grant, Machine } from '../../../src/client/browser.js';
import { Checks } from '../parts/checks.js';
import { FormDialog } from '../parts/form-dialog.js';
import { Field } from '../settings/section.js';
import { fleetAdmin } from './fleet-service.js';
import { GrantedTerminals } from './granted-terminals.js';
import {
  ASKS,
  type GrantDraft,
  grantOf,
  isComplete,
  LIVES,
  nameOf,
  newGrant,
  RIGHTS,
  STRONG,
} from './machine-words.js';
import { refreshFleet } from './use-fleet.js';

interface GrantFormProps {
  /** Id of the machine; empty: the person chooses. */
  to: string;
  machines: readonly Machine[];
  onClose: () => void;
}

/** Lets another machine do something here. */
export function GrantForm({ to, machines, onClose }: GrantFormProps) {
  const [draft, setDraft] = useState(() => newGrant(to || (machines[0]?.machineId ?? '')));
  const set = (change: Partial<GrantDraft>) => setDraft((before) => ({ ...before, ...change }));
  const isStrong = [...draft.can].some((right) => STRONG.has(right));
  return (
    <FormDialog
      title="Let another machine do something here"
      send="Grant it"
      failed="Nothing was granted"
      isComplete={isComplete(draft)}
      onSend={() => fleetAdmin.grant(grantOf(draft, Date.now())).finally(refreshFleet)}
      onClose={onClose}
    >
      <Field label="Machine">
        <select data-first value={draft.to} onChange={({ target }) => set({ to: target.value })}>
          {machines.map((machine) => (
            <option key={machine.machineId} value={machine.machineId}>
              {nameOf(machine)} ({machine.machineId})
            </option>
          ))}
        </select>
      </Field>
      <Checks legend="It may" choices={RIGHTS} chosen={draft.can} onChange={(can) => set({ can })} />
      {isStrong && (
        <p className="note" role="status">
          With type, execute or create, that machine can do here all that your user can: read and change
          files, start programs. Grant it as you would give an account.
        </p>
      )}
      <GrantedTerminals draft={draft} onChange={set} />
      <Field label="Until" hint="By the clock of this machine">
        <select value={draft.life} onChange={({ target }) => set({ life: Number(target.value) })}>
          {LIVES.map(([words], at) => (
            <option key={words} value={at}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Ask a person here" hint="Without an answer within a minute it is denied">
        <select value={draft.ask} onChange={({ target }) => set({ ask: target.value as Grant['ask'] })}>
          {ASKS.map(([ask, words]) => (
            <option key={ask} value={ask}>
              {words}
            </option>
          ))}
        </select>
      </Field>
    </FormDialog>
  );
}
