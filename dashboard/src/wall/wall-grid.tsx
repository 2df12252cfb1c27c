import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  startTransition,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { noteShown } from '../batch/selection.js';
import type { FleetTerminal } from '../fleet/after-event.js';
import type { Filter } from '../fleet/filter.js';
import { NeedsPills } from './needs-pills.js';
import { Tile } from './tile.js';
import { SIZES, type WallQuery } from './use-wall-query.js';
import { type WallRow, wallRows } from './wall-rows.js';

const GAP = 8;
/** Rows that are drawn first, so that their screens come before all others are drawn. */
const FIRST_ROWS = 2;
const GROUP_HEIGHT = 32;

interface WallGridProps {
  order: readonly string[];
  terminals: ReadonlyMap<string, FleetTerminal>;
  query: WallQuery;
  filter: Filter;
  onOpen: (id: string) => void;
  onPeek: (id: string) => void;
}

/** Steps from tile to tile by key; a number of rows means up and down. */
const STEPS: Readonly<Record<string, { by: number; rows?: number }>> = {
  ArrowLeft: { by: -1 },
  h: { by: -1 },
  ArrowRight: { by: 1 },
  l: { by: 1 },
  ArrowUp: { by: 0, rows: -1 },
  k: { by: 0, rows: -1 },
  ArrowDown: { by: 0, rows: 1 },
  j: { by: 0, rows: 1 },
};

/** Returns the tile that a step leads to. */
function stepFrom(
  rows: readonly WallRow[],
  id: string,
  step: { by: number; rows?: number },
): string | undefined {
  const lines = rows.flatMap((row) => (row.kind === 'tiles' ? [row.ids] : []));
  const line = lines.findIndex((ids) => ids.includes(id));
  if (line < 0) return lines[0]?.[0];
  if (step.rows !== undefined) {
    const next = lines[line + step.rows];
    return next?.[Math.min(lines[line]!.indexOf(id), next.length - 1)];
  }
  const flat = lines.flat();
  return flat[flat.indexOf(id) + step.by];
}

/** The tiles; only tiles in view are rendered. */
export function WallGrid({ order, terminals, query, filter, onOpen, onPeek }: WallGridProps) {
  const scrollRef = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [active, setActive] = useState<string>();
  const [hovered, setHovered] = useState<string>();
  const [isBegun, setBegun] = useState(false);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const size = SIZES[query.size];
  const columns = Math.max(1, Math.floor((width + GAP) / (size.width + GAP)));
  const tileWidth = Math.floor((width + GAP) / columns) - GAP;
  const tileHeight = Math.round(tileWidth * size.ratio);

  useLayoutEffect(() => {
    const element = scrollRef.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth - 2 * GAP));
    observer.observe(element);
    setWidth(element.clientWidth - 2 * GAP);
    return () => observer.disconnect();
  }, []);

  const rows = useMemo(
    () => wallRows(order, terminals, { filter, sort: query.sort, group: query.group, columns, unfolded }),
    [order, terminals, filter, query.sort, query.group, columns, unfolded],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: (at) => (rows[at]?.kind === 'tiles' ? tileHeight + GAP : GROUP_HEIGHT),
    getItemKey: (at) => rows[at]!.key,
    overscan: 1,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights follow from these
  useEffect(() => virtual.measure(), [rows, tileHeight]);

  useEffect(() => {
    if (width > 0) startTransition(() => setBegun(true));
  }, [width]);

  useEffect(() => noteShown(rows.flatMap((row) => (row.kind === 'tiles' ? row.ids : []))), [rows]);

  const rowOf = (id: string) => rows.findIndex((row) => row.kind === 'tiles' && row.ids.includes(id));
  const focus = (id: string) => {
    setActive(id);
    virtual.scrollToIndex(rowOf(id));
    // The tile exists once the scrolled grid is drawn.
    requestAnimationFrame(() => {
      scrollRef.current?.querySelector<HTMLElement>(`[data-terminal="${CSS.escape(id)}"]`)?.focus();
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || active === undefined) return;
    const step = STEPS[event.key];
    const next = step && stepFrom(rows, active, step);
    if (next !== undefined) focus(next);
    else if (event.key === 'Enter') onOpen(active);
    else if (event.key === ' ') onPeek(active);
    else if (!step) return;
    event.preventDefault();
  };
  const fold = (group: string) =>
    setUnfolded((before) => {
      const after = new Set(before);
      if (!after.delete(group)) after.add(group);
      return after;
    });
  const first = active !== undefined && rowOf(active) >= 0 ? active : order[0];
  const items = virtual.getVirtualItems().slice(0, isBegun ? undefined : FIRST_ROWS);

  return (
    <>
      <div
        ref={scrollRef}
        className="wall-scroll"
        onKeyDown={onKeyDown}
        onPointerLeave={() => setHovered(undefined)}
        role="grid"
        aria-label="Terminals"
        aria-rowcount={rows.length}
        aria-colcount={columns}
        aria-multiselectable="true"
        tabIndex={-1}
      >
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index]!;
            const style = {
              transform: `translateY(${start}px)`,
              '--tile-width': `${tileWidth}px`,
              '--tile-height': `${tileHeight}px`,
            };
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 1}
                className={`wall-row wall-${row.kind}`}
                style={style}
              >
                {row.kind === 'group' && (
                  <div role="gridcell" className="wall-group">
                    {row.name} <span className="count">{row.count.toLocaleString()}</span>
                  </div>
                )}
                {row.kind === 'folded' && (
                  <div role="gridcell">
                    <button type="button" aria-expanded={row.isOpen} onClick={() => fold(row.group)}>
                      {row.isOpen ? 'fold the idle ones' : `… ${row.count.toLocaleString()} idle`}
                    </button>
                  </div>
                )}
                {row.kind === 'tiles' &&
                  row.ids.map((id) => {
                    const terminal = terminals.get(id);
                    return (
                      terminal && (
                        <Tile
                          key={id}
                          terminal={terminal}
                          maxCols={size.maxCols}
                          isActive={id === first}
                          isHovered={id === hovered}
                          onHover={setHovered}
                          onActivate={setActive}
                          onOpen={onOpen}
                        />
                      )
                    );
                  })}
              </div>
            );
          })}
        </div>
      </div>
      <NeedsPills
        rows={rows}
        from={virtual.range?.startIndex ?? 0}
        to={virtual.range?.endIndex ?? 0}
        onShow={focus}
      />
    </>
  );
}
