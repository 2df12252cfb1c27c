import { useState } from 'react';
import type { Machine } from '../../../src/client/browser.js';
import { Fault } from '../guardrails/fault.js';
import '../style/guardrails.css';
import '../style/machines.css';
import '../style/settings.css';
import { GrantForm } from './grant-form.js';
import { InviteMachine } from './invite-machine.js';
import { LinkNote } from './link-note.js';
import { MachineItem } from './machine-item.js';
import { NoFleet } from './no-fleet.js';
import { RemoveMachine } from './remove-machine.js';
import { useFleetStatus, useGrants, useMachines } from './use-fleet.js';
import { WaitingList } from './waiting-list.js';

type Doing = { what: 'invite' } | { what: 'grant'; to: string } | { what: 'remove'; machine: Machine };

/** The machines of the fleet: their grants to this machine, their rights here, and the requests that wait for a person. */
export default function MachinesPage() {
  const { data: status, error: statusFault } = useFleetStatus(true);
  const { data: machines = [], error } = useMachines();
  const { data: grants = [], error: grantsFault } = useGrants();
  const [doing, act] = useState<Doing>();
  const end = () => act(undefined);
  const isHub = status?.role === 'hub';
  const others = machines.filter(({ self }) => !self);
  return (
    <main className="machines">
      <header className="bar">
        <h1>Machines</h1>
        {isHub && (
          <button type="button" onClick={() => act({ what: 'invite' })}>
            Invite a machine…
          </button>
        )}
        {others.length > 0 && (
          <button type="button" onClick={() => act({ what: 'grant', to: '' })}>
            Grant…
          </button>
        )}
        {machines.length > 0 && (
          <span className="count">
            {machines.length.toLocaleString()} {machines.length === 1 ? 'machine' : 'machines'}
          </span>
        )}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key */}
      <section className="machines-scroll" aria-label="Machines of the fleet" tabIndex={0}>
        {error && <Fault what="The machines" error={error} />}
        {statusFault && <Fault what="The place in a fleet" error={statusFault} />}
        {grantsFault && <Fault what="The grants" error={grantsFault} />}
        {status && <LinkNote status={status} />}
        <WaitingList />
        <ul className="machine-list">
          {machines.map((machine) => (
            <MachineItem
              key={machine.machineId}
              machine={machine}
              status={status}
              grants={grants.filter(({ to }) => to === machine.machineId)}
              onGrant={() => act({ what: 'grant', to: machine.machineId })}
              onRemove={isHub ? () => act({ what: 'remove', machine }) : undefined}
            />
          ))}
        </ul>
        {status?.role === 'none' && <NoFleet status={status} />}
        {isHub && others.length === 0 && (
          <p className="machines-text">
            No other machine is in the fleet yet. Invite one, and run on it the command that the invitation
            shows.
          </p>
        )}
      </section>
      {doing?.what === 'invite' && <InviteMachine onClose={end} />}
      {doing?.what === 'grant' && <GrantForm to={doing.to} machines={others} onClose={end} />}
      {doing?.what === 'remove' && <RemoveMachine machine={doing.machine} onClose={end} />}
    </main>
  );
}
