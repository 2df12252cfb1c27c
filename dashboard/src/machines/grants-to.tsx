import { useState } from 'react';
import type { Grant } from '../../../src/client/browser.js';
import { useNow } from '../fleet/use-now.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { attempt } from '../parts/toasts.js';
import { fleetAdmin } from './fleet-service.js';
import { holding, wordsOfGrant } from './machine-words.js';
import { refreshFleet } from './use-fleet.js';

/** Grants to a machine, each with a button that revokes it. */
export function GrantsTo({ name, grants }: { name: string; grants: readonly Grant[] }) {
  const [doomed, setDoomed] = useState<Grant>();
  const minute = useNow((now) => Math.floor(now / 60_000));
  const held = holding(grants, minute * 60_000);
  const revoke = async ({ id }: Grant) => {
    await attempt('The grant was not revoked', fleetAdmin.revoke(id));
    refreshFleet();
  };
  return (
    <>
      {held.length === 0 && <span className="hint">Nothing.</span>}
      <ul>
        {held.map((grant) => (
          <li key={grant.id} className="machine-grant">
            <span>{wordsOfGrant(grant)}</span>
            <button type="button" onClick={() => setDoomed(grant)}>
              Revoke<span className="unseen"> {wordsOfGrant(grant)}</span>
            </button>
          </li>
        ))}
      </ul>
      {doomed && (
        <AskDialog
          title={`Revoke what ${name} may do?`}
          choices={[['Revoke', () => void revoke(doomed)]]}
          onClose={() => setDoomed(undefined)}
        >
          <p>{wordsOfGrant(doomed)}</p>
          <p>
            What it does here by this grant alone ends at once, waits included. Programs that it has started
            go on.
          </p>
        </AskDialog>
      )}
    </>
  );
}
