import type { AuditEntry, AuditQuery } from '../../contract/audit.js';

/** Returns a function that tells whether a query wants a line. */
export function matcherOf({
  since,
  until,
  terminal,
  action,
  by,
}: AuditQuery): (entry: AuditEntry) => boolean {
  return (entry) => {
    if (since !== undefined && entry.at < since) return false;
    if (until !== undefined && entry.at > until) return false;
    if (action !== undefined && !entry.action.startsWith(action)) return false;
    if (terminal !== undefined && entry.terminalId !== terminal && !entry.terminalIds?.includes(terminal))
      return false;
    return by === undefined || isBy(entry, by);
  };
}

function isBy({ by: who }: AuditEntry, wanted: string): boolean {
  return who !== undefined && [who.kind, who.name, who.terminalId].includes(wanted);
}
