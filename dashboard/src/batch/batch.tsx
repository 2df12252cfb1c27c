import type { FleetTerminal } from '../fleet/after-event.js';
import type { Filter } from '../fleet/filter.js';
import { useShortcuts } from '../parts/shortcuts.js';
import '../style/batch.css';
import { BatchBar } from './batch-bar.js';
import { choose, extendTo, setOpen, toggle, useSelection } from './selection.js';
import { targetsOf } from './targets.js';

interface BatchProps {
  /** Ids of all terminals that the filter lets through. */
  order: readonly string[];
  terminals: ReadonlyMap<string, FleetTerminal>;
  filter: Filter;
}

const TILE = '.tile[data-terminal]';

/** Returns the tile that has the focus; else focuses the tile that the Tab key would reach. */
function focusedTile(): string | undefined {
  const focused = document.activeElement?.closest<HTMLElement>(TILE);
  const tile = focused ?? document.querySelector<HTMLElement>(`${TILE}[tabindex="0"]`);
  if (!focused) tile?.focus();
  return tile?.dataset.terminal;
}

/** Chooses terminals of the wall, and runs a command in them. */
export function Batch({ order, terminals, filter }: BatchProps) {
  const { selected, isOpen } = useSelection();
  const targets = targetsOf(selected, terminals, filter);
  const withTile = (action: (id: string) => void) => () => {
    const id = focusedTile();
    if (id !== undefined) action(id);
  };
  useShortcuts({
    x: withTile(toggle),
    'shift+x': withTile(extendTo),
    '*': () => choose(order),
    b: () => setOpen(true),
    Escape: () => (selected.size > 0 ? choose([]) : setOpen(false)),
  });
  if (isOpen) {
    const toWall = () => void focusedTile();
    return <BatchBar targets={targets} chosen={selected.size} order={order} onLeave={toWall} />;
  }
  return (
    <div className="batch-closed">
      <button type="button" onClick={() => setOpen(true)}>
        Batch <kbd>b</kbd>
      </button>
      <span role="status" className="count">
        {selected.size > 0 && `${selected.size.toLocaleString()} selected`}
      </span>
    </div>
  );
}
