import { useState } from 'react';
import { useParams } from 'wouter';
import { wordsOf } from '../service.js';
import '../style/settings.css';
import '../style/workspace.css';
import { leavesOf } from './layout-tree.js';
import { PaneTree } from './pane-tree.js';
import { TabList } from './tab-list.js';
import { TerminalPane } from './terminal-pane.js';
import { useLayout } from './use-layout.js';

/** Tabs and panes, which the service keeps and all windows share. Each window chooses the tab that it shows. */
export default function WorkspacePage() {
  const { data: layout, error } = useLayout();
  const { tabId } = useParams<{ tabId?: string }>();
  const [zoomed, setZoomed] = useState<string>();
  const [active, setActive] = useState<string>();
  if (!layout) {
    return <main className="empty">{error ? `The layout could not be read: ${wordsOf(error)}` : '…'}</main>;
  }
  const wanted = layout.tabs.find(({ id }) => id === (tabId ?? layout.activeTabId));
  const tab = wanted ?? (tabId === undefined ? layout.tabs[0] : undefined);
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
          <p className="empty">
            {layout.tabs.length === 0 ? 'There are no terminals yet' : 'This tab is gone'}
          </p>
        )}
      </div>
    </main>
  );
}
