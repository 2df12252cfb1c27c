import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { FleetStatus, Grant, ReachedMachine } from '../../../src/client/browser.js';
import { useFleet } from '../fleet/fleet-store.js';
import { useNow } from '../fleet/use-now.js';
import { plainLabel } from '../fleet/words.js';
import { Age } from '../parts/age.js';
import { counted } from '../parts/counted.js';
import { service } from '../service.js';
import { GrantsTo } from './grants-to.js';
import { holding, nameOf, wordsOfGrant } from './machine-words.js';

interface MachineItemProps {
  machine: ReachedMachine;
  /** The place of this machine in the fleet, once it is known. */
  status: FleetStatus | undefined;
  /** Grants of this machine to the machine. */
  grants: readonly Grant[];
  onGrant: () => void;
  /** Absent where this machine cannot remove others. */
  onRemove?: (() => void) | undefined;
}

/** One machine of the list: its facts, the rights that it grants to this machine, and its rights here. */
export function MachineItem({ machine, status, grants, onGrant, onRemove }: MachineItemProps) {
  const { machineId, self, online } = machine;
  const name = nameOf(machine);
  const id = self ? (status?.machineId ?? undefined) : machineId;
  const isHub = status?.hub?.machineId === id && id !== undefined;
  return (
    <li className={online ? 'machine' : 'machine machine-offline'} aria-label={name}>
      <div className="machine-head">
        <h2>{name}</h2>
        {self && <span className="machine-chip">this machine</span>}
        {isHub && <span className="machine-chip">hub</span>}
        <span className={online ? 'machine-online' : 'machine-away'}>
          <span aria-hidden="true">{online ? '●' : '○'} </span>
          {online ? 'online' : <Offline since={machine.lastSeenAt} />}
        </span>
        {!self && (
          <span className="machine-acts">
            <button type="button" onClick={onGrant}>
              Grant…<span className="unseen"> rights to {name}</span>
            </button>
            {onRemove && (
              <button type="button" onClick={onRemove}>
                Remove…<span className="unseen"> {name}</span>
              </button>
            )}
          </span>
        )}
      </div>
      <p className="machine-facts">
        {id !== undefined && <code>{plainLabel(id)}</code>}
        {self ? <OwnFacts /> : <OtherFacts machine={machine} />}
      </p>
      {!self && (
        <dl className="machine-rights">
          <div>
            <dt>This machine may do there</dt>
            <dd>
              <Given machine={machine} />
            </dd>
          </div>
          <div>
            <dt>It may do here</dt>
            <dd>
              <GrantsTo name={name} grants={grants} />
            </dd>
          </div>
        </dl>
      )}
    </li>
  );
}

function Offline({ since }: { since: number | null | undefined }) {
  if (since === null || since === undefined) return <>offline, never seen</>;
  return (
    <>
      offline, seen <Age since={since} /> ago
    </>
  );
}

function Terminals({ count, machineId }: { count: number; machineId: string }) {
  return (
    <Link href={`/processes?machine=${encodeURIComponent(machineId)}`}>{counted(count, 'terminal')}</Link>
  );
}

function OwnFacts() {
  const { data: system } = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => service.system({ signal }),
    staleTime: 60_000,
  });
  const terminals = useFleet((state) => state.terminals);
  const running = [...terminals.values()].filter(({ status }) => status === 'running').length;
  return (
    <>
      {system && (
        <span>
          {system.platform} {system.arch}, release {system.version}
        </span>
      )}
      <Terminals count={running} machineId="self" />
    </>
  );
}

function OtherFacts({ machine: { machineId, os, version, terminals } }: { machine: ReachedMachine }) {
  return (
    <>
      <span>
        {os}
        {version !== undefined && `, release ${plainLabel(version)}`}
      </span>
      {terminals !== undefined && <Terminals count={terminals} machineId={machineId} />}
    </>
  );
}

/** Rights that the machine grants to this machine. */
function Given({ machine: { online, rights } }: { machine: ReachedMachine }) {
  // Grants last for minutes or longer, so a clock of minutes is enough: seconds would redraw all machines each second.
  const minute = useNow((now) => Math.floor(now / 60_000));
  if (rights === undefined) {
    return <span className="hint">{online ? 'It has not said.' : 'Unknown while it is offline.'}</span>;
  }
  const given = holding(rights, minute * 60_000);
  if (given.length === 0) return <span className="hint">Nothing. A person there can grant it.</span>;
  return (
    <ul>
      {given.map((right) => {
        const words = wordsOfGrant(right);
        return <li key={words}>{words}</li>;
      })}
    </ul>
  );
}
