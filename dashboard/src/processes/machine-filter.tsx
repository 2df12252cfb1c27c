import type { FleetTerminalList } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';
import { nameOf } from '../machines/machine-words.js';
import { useMachines } from '../machines/use-fleet.js';

interface MachineFilterProps {
  /** Id of a machine, `self`, or empty for all. */
  machine: string;
  unasked: FleetTerminalList['unasked'];
  onChange: (machine: string) => void;
}

/** Chooses the machine whose terminals are listed, and names the machines for which the list may be incomplete. */
export function MachineFilter({ machine, unasked = [], onChange }: MachineFilterProps) {
  const { data: machines = [] } = useMachines();
  const silent = unasked.filter(({ machineId }) => machine === '' || machineId === machine);
  return (
    <>
      <label>
        machine{' '}
        <select value={machine} onChange={({ target }) => onChange(target.value)}>
          <option value="">all</option>
          {machines.map((each) => (
            <option key={each.machineId} value={each.machineId}>
              {nameOf(each)}
              {each.self && ' (this machine)'}
            </option>
          ))}
        </select>
      </label>
      {silent.length > 0 && (
        <span className="count">
          not asked now: {silent.map(({ deviceName }) => plainLabel(deviceName)).join(', ')}
        </span>
      )}
    </>
  );
}
