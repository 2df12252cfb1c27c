import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useFleet } from '../fleet/fleet-store.js';
import { service, wordsOf } from '../service.js';
import '../style/processes.css';
import { type Order, sortedRows } from './process-rows.js';
import { ProcessTable } from './process-table.js';
import { SystemLine } from './system-line.js';
import { UnreadFigures } from './unread-figures.js';
import { useMetrics } from './use-metrics.js';

const REFRESH_MS = 2_000;

/** What runs in each terminal. */
export default function ProcessesPage() {
  const [order, setOrder] = useState<Order>({ by: 'name', isDescending: false });
  const [inView, setInView] = useState<readonly string[]>([]);
  const terminals = useFleet((state) => state.terminals);
  const [metrics, readMetrics] = useMetrics(inView);
  const { data, error } = useQuery({
    queryKey: ['processes'],
    queryFn: ({ signal }) => service.terminals.processes({ signal }),
    // Not while the page is hidden: that is the default of the library.
    refetchInterval: REFRESH_MS,
  });
  const rows = useMemo(
    () =>
      (data ?? []).map((entry) => ({
        ...entry,
        cwd: terminals.get(entry.id)?.cwd ?? null,
        metrics: metrics.get(entry.id),
      })),
    [data, terminals, metrics],
  );
  const sorted = useMemo(() => sortedRows(rows, order), [rows, order]);
  const isByFigure = order.by === 'cpu' || order.by === 'memory';
  const unread = rows.filter((row) => !row.metrics).map(({ id }) => id);
  return (
    <main className="processes">
      <header className="bar">
        <h1>Processes</h1>
        <SystemLine />
        {data && (
          <span className="count">
            {data.length.toLocaleString()} {data.length === 1 ? 'terminal' : 'terminals'}
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
          known={rows.length - unread.length}
          total={rows.length}
          onRead={() => readMetrics(unread)}
        />
      )}
      {data?.length === 0 ? (
        <p className="empty">No terminal runs.</p>
      ) : (
        <ProcessTable rows={sorted} order={order} onOrder={setOrder} onView={setInView} />
      )}
    </main>
  );
}
