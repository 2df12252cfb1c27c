import { useVirtualizer } from '@tanstack/react-virtual';
import { type DragEvent, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { LayoutTree } from '../../../src/client/browser.js';
import { useFleet } from '../fleet/fleet-store.js';
import { STATUSES, statusOf } from '../fleet/status.js';
import { plainLabel } from '../fleet/words.js';
import { StatusMark } from '../parts/status-mark.js';
import { DRAGGED, leavesOf, type Tab } from './layout-tree.js';

const ROW_PX = 28;

interface TabListProps {
  layout: LayoutTree;
  /** Id of the tab that is shown. */
  shown: string | undefined;
}

/** Returns a function that returns the name of a tab: its title, or its terminal's name if it has none. */
function useTabName(): (tab: Tab) => string {
  const terminals = useFleet((state) => state.terminals);
  return (tab) => {
    const leaves = leavesOf(tab.root);
    const first = terminals.get(leaves[0]!.terminalId)?.name;
    return plainLabel(tab.title || first || tab.id);
  };
}

/** The tabs: those with several panes first. */
export function TabList({ layout, shown }: TabListProps) {
  const terminals = useFleet((state) => state.terminals);
  const nameOf = useTabName();
  const [text, setText] = useState('');
  const scrollRef = useRef<HTMLDivElement>(null);
  const tabs = useMemo(() => {
    const count = (tab: Tab) => leavesOf(tab.root).length;
    return layout.tabs.toSorted((a, b) => Number(count(b) > 1) - Number(count(a) > 1));
  }, [layout]);
  const found =
    text === '' ? tabs : tabs.filter((tab) => nameOf(tab).toLowerCase().includes(text.toLowerCase()));
  const virtual = useVirtualizer({
    count: found.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  /** The most urgent status among its terminals. */
  const urgent = (tab: Tab) => {
    const statuses = leavesOf(tab.root).flatMap(({ terminalId }) => {
      const terminal = terminals.get(terminalId);
      return terminal ? [statusOf(terminal)] : [];
    });
    return STATUSES.find((status) => statuses.includes(status));
  };
  return (
    <nav className="tab-list" aria-label="Tabs">
      <input
        type="search"
        aria-label="Filter tabs"
        placeholder="tab"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div ref={scrollRef} className="tab-scroll">
        <ul style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const tab = found[index]!;
            const status = urgent(tab);
            const panes = leavesOf(tab.root).length;
            return (
              <li key={tab.id} style={{ transform: `translateY(${start}px)` }}>
                <Link
                  href={`/w/${tab.id}`}
                  aria-current={tab.id === shown ? 'page' : undefined}
                  title="Drag it beside a pane"
                  onDragStart={({ dataTransfer }: DragEvent) =>
                    dataTransfer.setData(DRAGGED, leavesOf(tab.root)[0]!.terminalId)
                  }
                >
                  {status && <StatusMark status={status} word={false} />} {nameOf(tab)}
                  {panes > 1 && <span className="count"> {panes}</span>}
                </Link>
              </li>
            );
          })}
        </ul>
      </div>
    </nav>
  );
}
