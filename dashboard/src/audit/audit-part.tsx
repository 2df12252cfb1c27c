import { useEffect, useState } from 'react';
import { Fault } from '../guardrails/fault.js';
import { changeSettings, useSettings } from '../settings/use-settings.js';
import '../style/audit.css';
import { AuditCheck } from './audit-check.js';
import { AuditForm } from './audit-form.js';
import { AuditReader, type AuditState, MAX_LINES, NOTHING_READ } from './audit-reader.js';
import { AuditTable } from './audit-table.js';
import { type AuditFilter, queryOf, useAuditFilter } from './use-audit-query.js';

function useAudit(filter: AuditFilter): AuditState {
  const [state, setState] = useState(NOTHING_READ);
  const key = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says which lines these are
  useEffect(() => {
    const ending = new AbortController();
    setState(NOTHING_READ);
    const reader = new AuditReader(queryOf(filter, Date.now()), {
      signal: ending.signal,
      onState: setState,
    });
    void reader.run();
    return () => ending.abort();
  }, [key]);
  return state;
}

/** Note that the audit log is off, shown while it is. */
function AuditOff() {
  const { settings } = useSettings();
  if (!settings || settings.audit.enabled) return null;
  return (
    <p className="guardrails-note" role="status">
      The audit log is off: nothing of what clients do is written.{' '}
      <button type="button" onClick={() => void changeSettings({ audit: { enabled: true } })}>
        Turn it on
      </button>
    </p>
  );
}

/** Actions of clients: the client, the action, the terminal, and the outcome. */
export function AuditPart() {
  const [filter, change] = useAuditFilter();
  const { lines, total, isRead, error } = useAudit(filter);
  return (
    <>
      <div className="guardrails-bar">
        <AuditForm filter={filter} onChange={change} />
        <AuditCheck />
        <span className="count" role="status">
          {total > 0 && `${total.toLocaleString()} ${total === 1 ? 'line' : 'lines'}`}
          {total > MAX_LINES && `, the newest ${MAX_LINES.toLocaleString()} shown`}
          {!isRead && !error && ' reading'}
        </span>
      </div>
      <AuditOff />
      {error !== undefined && <Fault what="The audit log" error={error} />}
      {isRead && lines.length === 0 && <p className="empty">No line of the log is like that.</p>}
      {lines.length > 0 && <AuditTable lines={lines} isComplete={filter.by === '' && filter.action === ''} />}
    </>
  );
}
