import { plainLabel } from '../fleet/words.js';
import { useNamedTerminals } from './use-named-terminals.js';

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
  const running = useNamedTerminals().filter(({ status }) => status !== 'exited');
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
