import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import type { Direction, LayoutTree, Tab } from '../../contract/layout.js';
import type { CreateTerminal, Terminal } from '../../contract/terminal.js';
import { LatestRecord } from '../../store/latest.js';
import type { Store } from '../../store/store.js';
import type { EngineEvent } from '../events.js';
import { newTabId } from '../terminal-record.js';
import { type Arrangement, addTab, EMPTY, placeInTab, removeFromTab, retain } from './arrange.js';
import { LAYOUT_CODEC } from './codec.js';
import { newLeaf, newPaneId } from './pane-ids.js';
import { findLeaf, leavesOf } from './tree.js';
import { faultOfLayout, normalized } from './validate.js';

export interface LayoutOptions {
  store: Store;
  logger: Pick<Logger, 'error'>;
  /** Called when a terminal moves to another tab; not when it is created. */
  onMoved: (terminalId: string, tabId: string) => void;
}

/** Tabs and panes: every running terminal is in exactly one pane. Held in memory, and kept in the store. */
export class Layout {
  readonly #options: LayoutOptions;
  readonly #record: LatestRecord<LayoutTree>;
  #arrangement: Arrangement;
  /** Running terminals: their names, and the tab that `onMoved` last reported, or else the tab in which they were created. */
  readonly #terminals = new Map<string, { name: string; tabId: string }>();

  #onChanged: () => void = () => undefined;

  constructor(options: LayoutOptions) {
    this.#options = options;
    this.#record = new LatestRecord(options.store.collection('layout', LAYOUT_CODEC));
    this.#arrangement = this.#record.get() ?? EMPTY;
  }

  /** Sets the listener that is called after each change. */
  onChanged(listener: () => void): void {
    this.#onChanged = listener;
  }

  get(): LayoutTree {
    return { version: 1, ...this.#arrangement };
  }

  /**
   * Adopts a client's layout; resolves once it is stored. Terminals that do not run are left out and returned in
   * `missing`; running terminals that the layout does not mention get tabs of their own. Throws invalid-request without
   * changing anything.
   */
  async restore(layout: LayoutTree): Promise<{ missing: string[] }> {
    const fault = faultOfLayout(layout);
    if (fault !== undefined) throw new DomainError('invalid-request', fault);
    const posted = layout.tabs.flatMap(({ root }) => leavesOf(root)).map(({ terminalId }) => terminalId);
    const missing = posted.filter((id) => !this.#terminals.has(id));
    const tabs = layout.tabs.map((tab) => ({ ...tab, root: normalized(tab.root) }));
    const mentioned = new Set(posted);
    let arrangement = retain({ activeTabId: layout.activeTabId, tabs }, (id) => this.#terminals.has(id));
    for (const [id, { name, tabId }] of this.#terminals) {
      if (mentioned.has(id)) continue;
      const { activeTabId } = arrangement;
      const isFree = arrangement.tabs.every((tab) => tab.id !== tabId);
      arrangement = addTab(arrangement, isFree ? tabId : newTabId(), name, newLeaf(id));
      arrangement = { ...arrangement, activeTabId: activeTabId ?? arrangement.activeTabId };
    }
    const isChanged = !isDeepStrictEqual(this.#arrangement, arrangement);
    this.#arrangement = arrangement;
    this.#tellMoved();
    const stored = this.#record.set(this.get());
    if (isChanged) this.#onChanged();
    await stored;
    return { missing };
  }

  /**
   * Returns the tab for a terminal that is about to be created. Throws pane-not-found for a pane that does not exist,
   * or is not in the tab that is named as well.
   */
  tabFor({ tabId, paneId }: Pick<CreateTerminal, 'tabId' | 'paneId'>): string {
    if (!paneId) return tabId || newTabId();
    const tab = this.#arrangement.tabs.find(({ root }) => findLeaf(root, ({ id }) => id === paneId));
    if (!tab || (tabId && tab.id !== tabId)) throw new DomainError('pane-not-found');
    return tab.id;
  }

  onEvent(event: EngineEvent): void {
    if (event.type === 'created') {
      const { paneId, direction } = event.placement;
      this.#add(event.terminal, direction ?? 'horizontal', paneId);
      this.#save();
    } else if (event.type === 'exited' || event.type === 'removed') {
      this.#remove(event.id);
    }
  }

  /** Brings the layout in line with the present terminals; for the start, before any event. */
  reconcile(terminals: Terminal[]): void {
    const running = terminals.filter(({ status }) => status === 'running');
    this.#terminals.clear();
    for (const { id, name, tabId } of running) this.#terminals.set(id, { name, tabId });
    this.#arrangement = retain(this.#arrangement, (id) => this.#terminals.has(id));
    const { activeTabId, tabs } = this.#arrangement;
    const placed = new Set(tabs.flatMap(({ root }) => leavesOf(root)).map(({ terminalId }) => terminalId));
    for (const terminal of running) {
      if (!placed.has(terminal.id)) this.#add(terminal, 'horizontal');
    }
    // The active tab stays active, since no client has just created these terminals.
    const first = this.#arrangement.tabs[0]?.id ?? null;
    this.#arrangement = { ...this.#arrangement, activeTabId: activeTabId ?? first };
    this.#tellMoved();
    this.#save();
  }

  /** Resolves once the last change is stored, or its write has failed. */
  settled(): Promise<void> {
    return this.#record.settled();
  }

  /** Adds a terminal to its tab. The tab, and the pane with it, may have gone while the terminal was started. */
  #add({ id, name, tabId }: Terminal, direction: Direction, paneId?: string): void {
    this.#terminals.set(id, { name, tabId });
    const leaf = newLeaf(id);
    const splitId = newPaneId();
    const tab = this.#arrangement.tabs.find((each) => each.id === tabId);
    this.#arrangement = tab
      ? placeInTab(this.#arrangement, tab, { leaf, direction, splitId, at: paneId })
      : addTab(this.#arrangement, tabId, name, leaf);
  }

  #remove(id: string): void {
    const terminal = this.#terminals.get(id);
    if (!terminal) return;
    this.#terminals.delete(id);
    const tab = this.#arrangement.tabs.find((each) => each.id === terminal.tabId);
    if (tab) this.#arrangement = removeFromTab(this.#arrangement, tab, id);
    this.#save();
  }

  #tellMoved(): void {
    for (const tab of this.#arrangement.tabs) {
      for (const { terminalId } of leavesOf(tab.root)) this.#tellIfMoved(terminalId, tab);
    }
  }

  #tellIfMoved(terminalId: string, { id: tabId }: Tab): void {
    const terminal = this.#terminals.get(terminalId);
    if (!terminal || terminal.tabId === tabId) return;
    terminal.tabId = tabId;
    this.#options.onMoved(terminalId, tabId);
  }

  #save(): void {
    this.#onChanged();
    this.#record.set(this.get()).catch((err: unknown) => {
      this.#options.logger.error({ err }, 'the layout could not be stored');
    });
  }
}
