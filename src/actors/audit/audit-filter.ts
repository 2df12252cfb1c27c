import type { AuditEntry, AuditQuery } from '../../contract/audit.js';

/** Returns a function that decides whether a query selects a line. */
export function matcherOf({
  since,
  until,
  terminal,
  action,
  by,
  machine,
}: AuditQuery): (entry: AuditEntry) => boolean {
  /** Numbers of that machine's `type` lines that await their outcome: the later line names only that number. */
  const typing = new Set<number>();
  const isOf = (entry: AuditEntry) => {
    if (entry.of !== undefined) return typing.delete(entry.of);
    if (!isBegunBy(entry, machine)) return false;
    if (entry.action === 'type') typing.add(entry.n);
    return true;
  };
  return (entry) => {
    if (since !== undefined && entry.at < since) return false;
    if (until !== undefined && entry.at > until) return false;
    if (machine !== undefined && !isOf(entry)) return false;
    if (action !== undefined && !entry.action.startsWith(action)) return false;
    if (terminal !== undefined && entry.terminalId !== terminal && !entry.terminalIds?.includes(terminal))
      return false;
    return by === undefined || isBy(entry, by);
  };
}

function isBy({ by: who }: AuditEntry, wanted: string): boolean {
  return who !== undefined && [who.kind, who.name, who.terminalId].includes(wanted);
}

/** Returns whether a line names this machine of the fleet, or, with `*`, any machine. */
function isBegunBy({ by }: AuditEntry, machine: string | undefined): boolean {
  return machine === '*' ? by?.machineId !== undefined : by?.machineId === machine;
}
