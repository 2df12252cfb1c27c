import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { cellOf } from './process-cells.js';
import { type Column, type Order, orderAfter, type ProcessRow } from './process-rows.js';

const ROW_HEIGHT = 28;

const HEADS: Record<Column, string> = {
  machine: 'machine',
  name: 'terminal',
  app: 'program',
  pid: 'pid',
  agent: 'agent',
  cwd: 'directory',
  cpu: 'CPU',
  memory: 'memory',
  input: 'last input',
};

interface ProcessTableProps {
  columns: readonly Column[];
  rows: readonly ProcessRow[];
  order: Order;
  onOrder: (order: Order) => void;
  /** Called with the terminals of this machine that are in view. */
  onView: (ids: readonly string[]) => void;
}

/** Whether the row comes from a machine that has gone offline since. */
function isFromBefore(row: ProcessRow): boolean {
  return row.kind === 'other' && row.seenAt !== undefined;
}

/** The table; only rows in view are rendered. */
export function ProcessTable({ columns, rows, order, onOrder, onView }: ProcessTableProps) {
  const scrollRef = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (at) => rows[at]!.key,
    overscan: 4,
  });
  const items = virtual.getVirtualItems();
  const shown = items.map(({ index }) => rows[index]!);
  const inView = shown.filter(({ kind }) => kind === 'own').map(({ id }) => id);
  const key = inView.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says which rows these are
  useEffect(() => onView(inView), [key]);
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key
    <section ref={scrollRef} className="processes-scroll" aria-label="Processes" tabIndex={0}>
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => {
              const isBy = order.by === column;
              const sort = order.isDescending ? 'descending' : 'ascending';
              return (
                <th key={column} scope="col" className={`column-${column}`} aria-sort={isBy ? sort : 'none'}>
                  <button type="button" onClick={() => onOrder(orderAfter(order, column))}>
                    {HEADS[column]}{' '}
                    <span aria-hidden="true">{isBy ? (order.isDescending ? '↓' : '↑') : ''}</span>
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr aria-hidden="true" style={{ height: before }} />}
          {items.map(({ index }) => {
            const row = rows[index]!;
            return (
              <tr
                key={row.key}
                className={isFromBefore(row) ? 'process-before' : undefined}
                aria-rowindex={index + 2}
                style={{ height: ROW_HEIGHT }}
              >
                {columns.map((column) => (
                  <td key={column} className={`column-${column}`}>
                    {cellOf(row, column)}
                  </td>
                ))}
              </tr>
            );
          })}
          {after > 0 && <tr aria-hidden="true" style={{ height: after }} />}
        </tbody>
      </table>
    </section>
  );
}
