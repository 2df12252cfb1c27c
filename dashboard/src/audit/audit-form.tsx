import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { KINDS } from './audit-words.js';
import { type AuditFilter, SPANS } from './use-audit-query.js';

interface AuditFormProps {
  filter: AuditFilter;
  onChange: (change: Partial<AuditFilter>) => void;
}

const WHO_KINDS = ['user', 'agent', 'mcp', 'fleet', 'service'];
const byName = new Intl.Collator(undefined, { numeric: true });

/** Filter of the lines that are shown. */
export function AuditForm({ filter, onChange }: AuditFormProps) {
  const [by, setBy] = useState(filter.by);
  useEffect(() => setBy(filter.by), [filter.by]);
  const terminals = useFleet((state) => state.terminals);
  const named = useMemo(
    () => [...terminals.values()].sort((a, b) => byName.compare(a.name, b.name)),
    [terminals],
  );
  const apply = (event?: FormEvent) => {
    event?.preventDefault();
    if (by !== filter.by) onChange({ by });
  };
  return (
    <form className="audit-form" onSubmit={apply}>
      <label>
        terminal{' '}
        <select value={filter.terminal} onChange={({ target }) => onChange({ terminal: target.value })}>
          <option value="">all</option>
          {filter.terminal !== '' && !terminals.has(filter.terminal) && (
            <option value={filter.terminal}>{plainLabel(filter.terminal)} (gone)</option>
          )}
          {named.map(({ id, name }) => (
            <option key={id} value={id}>
              {plainLabel(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        who{' '}
        <input
          list="audit-who"
          placeholder="kind, name or id"
          spellCheck={false}
          autoComplete="off"
          value={by}
          onChange={({ target }) => setBy(target.value)}
          onBlur={() => apply()}
        />
      </label>
      <datalist id="audit-who">
        {WHO_KINDS.map((kind) => (
          <option key={kind} value={kind} />
        ))}
        {named.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
      <label>
        what{' '}
        <select value={filter.action} onChange={({ target }) => onChange({ action: target.value })}>
          <option value="">all</option>
          {KINDS.map(([action, words]) => (
            <option key={action} value={action}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        since{' '}
        <select value={filter.span} onChange={({ target }) => onChange({ span: target.value })}>
          {SPANS.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
