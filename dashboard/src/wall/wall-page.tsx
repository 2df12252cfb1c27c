import { useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Batch } from '../batch/batch.js';
import { filterOf } from '../fleet/filter.js';
import { useFleet } from '../fleet/fleet-store.js';
import { useShortcuts } from '../parts/shortcuts.js';
import '../style/wall.css';
import { Peek } from './peek.js';
import { useWallQuery } from './use-wall-query.js';
import { WallBar } from './wall-bar.js';
import { WallEmpty } from './wall-empty.js';
import { WallGrid } from './wall-grid.js';
import { keptOrder, wallOrder } from './wall-rows.js';

/** All terminals, live. */
export default function WallPage() {
  const [query, change] = useWallQuery();
  const [, go] = useLocation();
  const terminals = useDeferredValue(useFleet((state) => state.terminals));
  const isListed = useFleet((state) => state.link !== 'checking');
  const [peeked, setPeeked] = useState<string>();
  const [isPointed, setPointed] = useState(false);
  const filterRef = useRef<HTMLInputElement>(null);
  const shownOrder = useRef<readonly string[]>([]);

  const filter = useMemo(() => filterOf(query.q), [query.q]);
  const wanted = useMemo(
    () =>
      wallOrder(terminals.values(), {
        filter,
        sort: query.sort,
        group: undefined,
        columns: 1,
        unfolded: new Set(),
      }),
    [terminals, filter, query.sort],
  );
  // Tiles keep their places while the pointer is on the wall.
  const order = useMemo(() => {
    shownOrder.current = isPointed ? keptOrder(shownOrder.current, wanted) : wanted;
    return shownOrder.current;
  }, [wanted, isPointed]);
  const moved = order === wanted ? 0 : order.filter((id, at) => wanted[at] !== id).length;

  useShortcuts({ '/': () => filterRef.current?.focus() });
  const open = useCallback((id: string) => go(`/t/${id}`), [go]);

  return (
    <main className="wall" onPointerEnter={() => setPointed(true)} onPointerLeave={() => setPointed(false)}>
      <WallBar query={query} onChange={change} filterRef={filterRef} shown={order.length} />
      {moved > 0 && (
        <button type="button" className="pill moved" onClick={() => setPointed(false)}>
          {moved} moved
        </button>
      )}
      {order.length === 0 ? (
        <WallEmpty isListed={isListed} hasFilter={query.q !== ''} onClear={() => change({ q: '' })} />
      ) : (
        <WallGrid
          order={order}
          terminals={terminals}
          query={query}
          filter={filter}
          onOpen={open}
          onPeek={setPeeked}
        />
      )}
      <Batch order={order} terminals={terminals} filter={filter} />
      {peeked !== undefined && (
        <Peek terminalId={peeked} onClose={() => setPeeked(undefined)} onOpen={open} />
      )}
    </main>
  );
}
