import { useMemo } from 'react';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';

const byName = new Intl.Collator(undefined, { numeric: true });

interface TerminalSelectProps {
  value: string;
  onChange: (id: string) => void;
  /** Words for no terminal. */
  none: string;
  isRequired?: boolean;
  id?: string;
  'aria-describedby'?: string;
}

/** Chooses one of the terminals that run. */
export function TerminalSelect({ value, onChange, none, isRequired = false, ...rest }: TerminalSelectProps) {
  const terminals = useFleet((state) => state.terminals);
  const running = useMemo(
    () =>
      [...terminals.values()]
        .filter(({ status }) => status !== 'exited')
        .sort((a, b) => byName.compare(a.name, b.name)),
    [terminals],
  );
  return (
    <select {...rest} required={isRequired} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{none}</option>
      {running.map(({ id, name }) => (
        <option key={id} value={id}>
          {plainLabel(name)}
        </option>
      ))}
    </select>
  );
}
