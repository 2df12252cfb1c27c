import { useQuery } from '@tanstack/react-query';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { service, wordsOf } from '../service.js';
import '../style/settings.css';

/** The machines whose terminals can be reached. */
export default function MachinesPage() {
  const { data: machines = [], error } = useQuery({
    queryKey: ['machines'],
    queryFn: ({ signal }) => service.fleet.machines({ signal }),
  });
  const { data: system } = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => service.system({ signal }),
  });
  const terminals = useFleet((state) => state.terminals);
  const running = [...terminals.values()].filter(({ status }) => status === 'running').length;
  return (
    <main className="settings">
      <h1>Machines</h1>
      {error && <p role="alert">The machines could not be listed: {wordsOf(error)}</p>}
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Machine</th>
            <th scope="col">System</th>
            <th scope="col">State</th>
            <th scope="col">Running terminals</th>
          </tr>
        </thead>
        <tbody>
          {machines.map((machine) => (
            <tr key={machine.machineId}>
              <td>
                {plainLabel(machine.deviceName)}
                {machine.self && <span className="hint"> this machine</span>}
              </td>
              <td>{machine.self && system ? `${machine.os}, ${system.arch}` : machine.os}</td>
              <td>{machine.online ? 'online' : 'offline'}</td>
              <td>{machine.self ? running.toLocaleString() : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  );
}
