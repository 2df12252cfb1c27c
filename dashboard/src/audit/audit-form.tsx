import { type FormEvent, useEffect, useState } from 'react';
import { TerminalFilter } from '../parts/terminal-filter.js';
import { useNamedTerminals } from '../parts/use-named-terminals.js';
import { KINDS } from './audit-words.js';
import { type AuditFilter, SPANS } from './use-audit-query.js';

interface AuditFormProps {
  filter: AuditFilter;
  onChange: (change: Partial<AuditFilter>) => void;
}

const WHO_KINDS = ['user', 'agent', 'mcp', 'fleet', 'service'];

/** Filter of the lines that are shown. */
export function AuditForm({ filter, onChange }: AuditFormProps) {
  const [by, setBy] = useState(filter.by);
  useEffect(() => setBy(filter.by), [filter.by]);
  const named = useNamedTerminals();
  const apply = (event?: FormEvent) => {
    event?.preventDefault();
    if (by !== filter.by) onChange({ by });
  };
  return (
    <form className="audit-form" onSubmit={apply}>
      <TerminalFilter value={filter.terminal} onChange={(terminal) => onChange({ terminal })} />
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
