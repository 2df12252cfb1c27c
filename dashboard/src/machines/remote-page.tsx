import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { Fault } from '../guardrails/fault.js';
import '../style/guardrails.css';
import '../style/machines.css';
import { RemoteTerminal } from './remote-terminal.js';
import { useMachines } from './use-fleet.js';

/** One terminal of another machine: its screen, to type into if that machine allows it. */
export default function RemotePage() {
  const { machineId, id } = useParams<{ machineId: string; id: string }>();
  const { data: machines, error } = useMachines();
  const [attempts, setAttempts] = useState(0);
  const machine = machines?.find((each) => each.machineId === machineId && !each.self);
  if (machine) {
    return (
      <RemoteTerminal
        // Dialogs and state of one terminal must not carry over to the next.
        key={`${machineId} ${id} ${attempts}`}
        machine={machine}
        id={id}
        onAgain={() => setAttempts(attempts + 1)}
      />
    );
  }
  if (!machines && !error) return <main className="empty">…</main>;
  return (
    <main className="empty">
      {error ? <Fault what="The machines" error={error} /> : <h1>No machine of the fleet has this id</h1>}
      <p>
        <Link href="/machines">Go to the machines</Link>
      </p>
    </main>
  );
}
