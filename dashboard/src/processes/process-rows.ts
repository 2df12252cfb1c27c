import type { FleetTerminal, ProcessEntry, ProcessMetrics } from '../../../src/client/browser.js';

/** A terminal's programs, with facts about the terminal; only rows that have been in view have figures. */
interface OwnRow extends ProcessEntry {
  kind: 'own';
  key: string;
  cwd: string | null;
  metrics: ProcessMetrics | undefined;
}

/** A terminal of another machine: the page knows less about it. */
interface OtherRow extends Pick<FleetTerminal, 'id' | 'machineId' | 'deviceName' | 'seenAt'> {
  kind: 'other';
  key: string;
  name: string;
}

export type ProcessRow = OwnRow | OtherRow;

const COLUMNS = ['name', 'app', 'pid', 'agent', 'cwd', 'cpu', 'memory', 'input'] as const;
export type Column = (typeof COLUMNS)[number] | 'machine';

/** Returns the columns: the column of the machine only in a fleet. */
export function columnsOf(isInFleet: boolean): readonly Column[] {
  return isInFleet ? ['machine', ...COLUMNS] : COLUMNS;
}

export function ownRow(entry: ProcessEntry, more: Pick<OwnRow, 'cwd' | 'metrics'>): OwnRow {
  return { ...entry, ...more, kind: 'own', key: entry.id };
}

export function otherRow({ id, title, machineId, deviceName, seenAt }: FleetTerminal): OtherRow {
  return { kind: 'other', key: `${machineId}/${id}`, id, name: title, machineId, deviceName, seenAt };
}

export interface Order {
  by: Column;
  isDescending: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true });

type Value = string | number | null | undefined;

/** Values by which a column is sorted; undefined and null mean an empty cell. */
const VALUES: Record<Exclude<Column, 'name' | 'machine'>, (row: OwnRow) => Value> = {
  app: ({ currentApp }) => currentApp.name,
  pid: ({ currentApp }) => currentApp.pid,
  agent: ({ agent, agentStatus }) => agent && `${agent} ${agentStatus ?? ''}`,
  cwd: ({ cwd }) => cwd,
  cpu: ({ metrics }) => metrics?.cpu,
  memory: ({ metrics }) => metrics?.memory,
  input: ({ lastInputAt }) => lastInputAt,
};

/** Columns that are first sorted with large values on top. */
const LARGE_FIRST: ReadonlySet<Column> = new Set(['cpu', 'memory', 'input']);

function placeOf(row: ProcessRow, column: Column): Value {
  if (column === 'name') return row.name;
  if (column === 'machine') return row.kind === 'own' ? '' : row.deviceName;
  return row.kind === 'own' ? VALUES[column](row) : undefined;
}

/** Returns the order after a click on the head of a column. */
export function orderAfter(order: Order, column: Column): Order {
  if (order.by === column) return { by: column, isDescending: !order.isDescending };
  return { by: column, isDescending: LARGE_FIRST.has(column) };
}

/** Sorts rows; empty cells come last in both directions, and equal ones by the name of the terminal. */
export function sortedRows(rows: readonly ProcessRow[], { by, isDescending }: Order): ProcessRow[] {
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [one, other] = [placeOf(a, by) ?? undefined, placeOf(b, by) ?? undefined];
    const byName = collator.compare(a.name, b.name) || collator.compare(a.id, b.id);
    if (one === undefined || other === undefined) {
      return Number(one === undefined) - Number(other === undefined) || byName;
    }
    const difference =
      typeof one === 'number' && typeof other === 'number'
        ? one - other
        : collator.compare(String(one), String(other));
    return sign * difference || byName;
  });
}
