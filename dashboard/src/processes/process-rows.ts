import type { ProcessEntry, ProcessMetrics } from '../../../src/client/browser.js';

/** A terminal's programs, with what the fleet knows of the terminal; figures only of rows that were in view. */
export interface ProcessRow extends ProcessEntry {
  cwd: string | null;
  metrics: ProcessMetrics | undefined;
}

export const COLUMNS = ['name', 'app', 'pid', 'agent', 'cwd', 'cpu', 'memory', 'input'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Order {
  by: Column;
  isDescending: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true });

/** What a column is sorted by; undefined and null stand for a cell that is empty. */
const VALUES: Record<Column, (row: ProcessRow) => string | number | null | undefined> = {
  name: ({ name }) => name,
  app: ({ currentApp }) => currentApp.name,
  pid: ({ currentApp }) => currentApp.pid,
  agent: ({ agent, agentStatus }) => agent && `${agent} ${agentStatus ?? ''}`,
  cwd: ({ cwd }) => cwd,
  cpu: ({ metrics }) => metrics?.cpu,
  memory: ({ metrics }) => metrics?.memory,
  input: ({ lastInputAt }) => lastInputAt,
};

/** Columns whose large values are looked for first. */
const LARGE_FIRST: ReadonlySet<Column> = new Set(['cpu', 'memory', 'input']);

/** Returns the order after a click on the head of a column. */
export function orderAfter(order: Order, column: Column): Order {
  if (order.by === column) return { by: column, isDescending: !order.isDescending };
  return { by: column, isDescending: LARGE_FIRST.has(column) };
}

/** Sorts rows; empty cells come last in both directions, and equal ones by the name of the terminal. */
export function sortedRows(rows: readonly ProcessRow[], { by, isDescending }: Order): ProcessRow[] {
  const value = VALUES[by];
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [one, other] = [value(a) ?? undefined, value(b) ?? undefined];
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
