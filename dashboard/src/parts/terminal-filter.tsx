import { plainLabel } from '../fleet/words.js';
import { useNamedTerminals } from './use-named-terminals.js';

interface TerminalFilterProps {
  /** Id of the terminal; empty: all. */
  value: string;
  onChange: (id: string) => void;
}

/** Restricts a page to one terminal; keeps a chosen terminal that is gone. */
export function TerminalFilter({ value, onChange }: TerminalFilterProps) {
  const named = useNamedTerminals();
  return (
    <label>
      terminal{' '}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">all</option>
        {value !== '' && !named.some(({ id }) => id === value) && (
          <option value={value}>{plainLabel(value)} (gone)</option>
        )}
        {named.map(({ id, name }) => (
          <option key={id} value={id}>
            {plainLabel(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
