import { useEffect, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import type { LayoutTree } from '../../../src/client/browser.js';
import { wordsOf } from '../service.js';
import '../style/settings.css';
import '../style/workspace.css';
import { leavesOf, type Tab } from './layout-tree.js';
import { PaneTree } from './pane-tree.js';
import { TabList } from './tab-list.js';
import { TerminalPane } from './terminal-pane.js';
import { useLayout } from './use-layout.js';

/** Returns the tab in front; undefined if there is none. */
function frontOf(layout: LayoutTree | undefined): Tab | undefined {
  return layout?.tabs.find(({ id }) => id === layout.activeTabId) ?? layout?.tabs[0];
}

/** Tabs and panes, which the service keeps and all windows share. Each window chooses the tab that it shows. */
export default function WorkspacePage() {
  const { data: layout, error } = useLayout();
  const { tabId } = useParams<{ tabId?: string }>();
  const [zoomed, setZoomed] = useState<string>();
  const [active, setActive] = useState<string>();
  const [, go] = useLocation();
  const front = tabId === undefined ? frontOf(layout)?.id : undefined;
  const isEmpty = layout?.tabs.length === 0;
  // Each new terminal brings its tab to the front; the tab in which a person types must not give way to it.
  useEffect(() => {
    if (front !== undefined) go(`/w/${front}`, { replace: true });
    // The next terminal is then shown, and not that the tab of the last is gone.
    else if (isEmpty) go('/w', { replace: true });
  }, [front, isEmpty, go]);
  if (!layout) {
    return <main className="empty">{error ? `The layout could not be read: ${wordsOf(error)}` : '…'}</main>;
  }
  const tab = layout.tabs.find(({ id }) => id === (tabId ?? front));
  const leaves = tab ? leavesOf(tab.root) : [];
  const zoomedLeaf = leaves.find(({ id }) => id === zoomed);
  const root = zoomedLeaf ?? tab?.root;
  return (
    <main className="workspace">
      <h1 className="unseen">Workspace</h1>
      <TabList layout={layout} shown={tab?.id} />
      <div className="panes">
        {root ? (
          <PaneTree
            pane={root}
            leaf={(leaf) => (
              <TerminalPane
                key={leaf.terminalId}
                leaf={leaf}
                isAlone={leaves.length === 1}
                isActive={leaf.id === active}
                onActivate={(isActive) => setActive(isActive ? leaf.id : undefined)}
                isZoomed={leaf.id === zoomed}
                onZoom={() => setZoomed(leaf.id === zoomed ? undefined : leaf.id)}
              />
            )}
          />
        ) : (
          <p className="empty">{isEmpty ? 'There are no terminals yet' : 'This tab is gone'}</p>
        )}
      </div>
    </main>
  );
}
