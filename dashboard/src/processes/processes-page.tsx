import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useFleet } from '../fleet/fleet-store.js';
import { useIsInFleet, useRoster } from '../machines/use-fleet.js';
import { service, wordsOf } from '../service.js';
import '../style/processes.css';
import { MachineFilter } from './machine-filter.js';
import { columnsOf, type Order, otherRow, ownRow, sortedRows } from './process-rows.js';
import { ProcessTable } from './process-table.js';
import { SystemLine } from './system-line.js';
import { UnreadFigures } from './unread-figures.js';
import { useMetrics } from './use-metrics.js';

const REFRESH_MS = 2_000;

/** The programs that run in each terminal. */
export default function ProcessesPage() {
  const [order, setOrder] = useState<Order>({ by: 'name', isDescending: false });
  const [inView, setInView] = useState<readonly string[]>([]);
  const terminals = useFleet((state) => state.terminals);
  const [metrics, readMetrics] = useMetrics(inView);
  const { data, error } = useQuery({
    queryKey: ['processes'],
    queryFn: ({ signal }) => service.terminals.processes({ signal }),
    // The library does not fetch while the page is hidden.
    refetchInterval: REFRESH_MS,
  });
  const isInFleet = useIsInFleet();
  const { data: roster } = useRoster();
  const [search, setSearch] = useSearchParams();
  const machine = isInFleet ? (search.get('machine') ?? '') : '';
  const own = useMemo(
    () =>
      (data ?? []).map((entry) =>
        ownRow(entry, { cwd: terminals.get(entry.id)?.cwd ?? null, metrics: metrics.get(entry.id) }),
      ),
    [data, terminals, metrics],
  );
  const rows = useMemo(() => {
    const others = (roster?.terminals ?? []).filter(({ machineId }) => machineId !== 'self').map(otherRow);
    if (machine === '') return [...own, ...others];
    return machine === 'self' ? own : others.filter(({ machineId }) => machineId === machine);
  }, [own, roster, machine]);
  const sorted = useMemo(() => sortedRows(rows, order), [rows, order]);
  const isByFigure = order.by === 'cpu' || order.by === 'memory';
  const shownOwn = machine === '' || machine === 'self' ? own : [];
  const unread = shownOwn.filter((row) => !row.metrics).map(({ id }) => id);
  return (
    <main className="processes">
      <header className="bar">
        <h1>Processes</h1>
        <SystemLine />
        {isInFleet && (
          <MachineFilter
            machine={machine}
            unasked={roster?.unasked}
            onChange={(chosen) => setSearch(chosen === '' ? {} : { machine: chosen })}
          />
        )}
        {data && (
          <span className="count">
            {rows.length.toLocaleString()} {rows.length === 1 ? 'terminal' : 'terminals'}
          </span>
        )}
      </header>
      {error && (
        <p className="processes-error" role="alert">
          {wordsOf(error)}
        </p>
      )}
      {isByFigure && (
        <UnreadFigures
          known={shownOwn.length - unread.length}
          total={shownOwn.length}
          onRead={() => readMetrics(unread)}
        />
      )}
      {data && rows.length === 0 ? (
        <p className="empty">No terminal runs.</p>
      ) : (
        <ProcessTable
          columns={columnsOf(isInFleet)}
          rows={sorted}
          order={order}
          onOrder={setOrder}
          onView={setInView}
        />
      )}
    </main>
  );
}
