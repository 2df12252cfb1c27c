import type { Logger } from 'pino';
import type {
  CanvasGraph,
  CanvasGroup,
  CanvasNode,
  Connection,
  ConnectionBody,
  GroupBody,
  GroupPatch,
  NodePlaceBody,
  TerminalConnections,
} from '../../contract/canvas.js';
import { DomainError } from '../../contract/errors.js';
import type { CreateTerminal, Terminal } from '../../contract/terminal.js';
import type { Store } from '../../store/store.js';
import type { EngineEvent } from '../events.js';
import { Connections } from './connections.js';
import { Groups } from './groups.js';
import { NodePlaces } from './node-places.js';

export interface CanvasOptions {
  store: Store;
  logger: Pick<Logger, 'error'>;
}

/** The terminals as a graph: their places, and the connections between them. Kept in the store. */
export class Canvas {
  readonly #logger: CanvasOptions['logger'];
  readonly #connections: Connections;
  readonly #places: NodePlaces;
  readonly #groups: Groups;
  /** Names of the running terminals, by id. */
  readonly #listed = new Map<string, string>();
  /** Terminals that have exited and are kept. */
  readonly #exited = new Set<string>();

  #onChanged: () => void = () => undefined;

  constructor({ store, logger }: CanvasOptions) {
    this.#logger = logger;
    this.#connections = new Connections(store);
    this.#places = new NodePlaces(store);
    this.#groups = new Groups(store);
  }

  /** Sets the listener that is called after each change. */
  onChanged(listener: () => void): void {
    this.#onChanged = listener;
  }

  graph(): CanvasGraph {
    const nodes = [...this.#listed.keys()].flatMap((id) => this.#node(id) ?? []);
    return { nodes, groups: this.#groups.all(), connections: this.#connections.all() };
  }

  /** Moves, resizes or groups the node of a running terminal. Resolves once stored. Throws terminal-not-found, group-not-found. */
  async place(terminalId: string, change: NodePlaceBody): Promise<CanvasNode> {
    if (!this.#node(terminalId)) throw new DomainError('terminal-not-found');
    if (typeof change.groupId === 'string') this.#groups.get(change.groupId);
    const stored = this.#places.change(terminalId, change);
    if (stored) await this.#told(stored);
    // The terminal may have exited meanwhile.
    const node = this.#node(terminalId);
    if (!node) throw new DomainError('terminal-not-found');
    return node;
  }

  /** Resolves once stored. Throws too-many-groups. */
  addGroup(body: GroupBody): Promise<CanvasGroup> {
    return this.#told(this.#groups.add(body));
  }

  /** Resolves once stored. Throws group-not-found. */
  async changeGroup(id: string, patch: GroupPatch): Promise<CanvasGroup> {
    const { group, isChanged } = await this.#groups.change(id, patch);
    if (isChanged) this.#onChanged();
    return group;
  }

  /** Removes a group, and takes its nodes out of it; resolves once stored. Throws group-not-found. */
  async removeGroup(id: string): Promise<void> {
    this.#groups.get(id);
    const left = this.#places.leaveGroups((each) => each !== id);
    await this.#told(Promise.all([...left, this.#groups.remove(id)]));
  }

  /**
   * Connects two terminals; resolves once stored. `isNew` is false if the connection existed already. Throws
   * terminal-not-found, too-many-connections.
   */
  async connect(body: ConnectionBody): Promise<{ connection: Connection; isNew: boolean }> {
    this.#mustKnow(body.from);
    this.#mustKnow(body.to);
    const connected = await this.#connections.connect(body, (id) => this.#knows(id));
    if (connected.isNew) this.#onChanged();
    return connected;
  }

  /** Sets or clears the label of a connection. Throws connection-not-found. */
  async setLabel(id: string, label: string | null): Promise<Connection> {
    const { connection, isChanged } = await this.#connections.setLabel(id, label);
    if (isChanged) this.#onChanged();
    return connection;
  }

  /** Removes a connection. Throws connection-not-found. */
  async disconnect(id: string): Promise<void> {
    await this.#connections.remove(id);
    this.#onChanged();
  }

  /** Returns the connections of a terminal that runs, or is kept after its exit. Throws terminal-not-found. */
  connectionsOf(terminalId: string): TerminalConnections {
    this.#mustKnow(terminalId);
    return this.#connections.of(terminalId);
  }

  /** Refuses a terminal with an unknown parent before anything is started. Throws terminal-not-found. */
  check({ parentTerminalId }: Pick<CreateTerminal, 'parentTerminalId'>): void {
    if (parentTerminalId) this.#mustKnow(parentTerminalId);
  }

  onEvent(event: EngineEvent): void {
    switch (event.type) {
      case 'created':
        this.#listed.set(event.id, event.terminal.name);
        this.#inBackground(this.#places.take(event.id));
        this.#connectToParent(event.id, event.placement.parentTerminalId);
        return;
      case 'updated':
        this.#renamed(event.id, event.terminal.name);
        return;
      case 'exited':
        this.#listed.delete(event.id);
        this.#exited.add(event.id);
        this.#inBackground(this.#places.free(event.id));
        return;
      case 'removed':
        this.#listed.delete(event.id);
        this.#exited.delete(event.id);
        this.#inBackground(this.#places.free(event.id));
        if (event.reason === 'closed') this.#inBackground(this.#connections.removeAllOf(event.id));
    }
  }

  /** Brings the nodes in line with the present terminals, kept ones included; for the start, before any event. */
  reconcile(terminals: Terminal[]): void {
    this.#listed.clear();
    this.#exited.clear();
    for (const { id, name, status } of terminals) {
      if (status === 'running') this.#listed.set(id, name);
      else this.#exited.add(id);
    }
    for (const id of this.#places.ids()) {
      if (!this.#listed.has(id)) this.#inBackground(this.#places.free(id));
    }
    for (const id of this.#listed.keys()) this.#inBackground(this.#places.take(id));
    // A group whose removal was cut off may be gone while nodes still name it.
    for (const left of this.#places.leaveGroups((id) => this.#groups.has(id))) this.#inBackground(left);
  }

  #node(terminalId: string): CanvasNode | undefined {
    const title = this.#listed.get(terminalId);
    const place = this.#places.get(terminalId);
    return title === undefined || !place ? undefined : { terminalId, title, ...place };
  }

  #renamed(terminalId: string, name: string): void {
    const title = this.#listed.get(terminalId);
    if (title === undefined || title === name) return;
    this.#listed.set(terminalId, name);
    this.#onChanged();
  }

  #knows(terminalId: string): boolean {
    return this.#listed.has(terminalId) || this.#exited.has(terminalId);
  }

  #mustKnow(terminalId: string): void {
    if (!this.#knows(terminalId)) throw new DomainError('terminal-not-found');
  }

  /** Connects a new terminal to its parent, unless the parent has gone while the terminal was started. */
  #connectToParent(child: string, parent: string | undefined): void {
    if (!parent || !this.#knows(parent)) return;
    const body: ConnectionBody = { from: parent, to: child, label: null, origin: 'agent' };
    this.#inBackground(this.#connections.connect(body, (id) => this.#knows(id)));
  }

  /** Reports the change once it is stored. */
  async #told<Result>(stored: Promise<Result>): Promise<Result> {
    const result = await stored;
    this.#onChanged();
    return result;
  }

  /**
   * Logs the failure of a write that follows from an event: no caller waits for it. The store waits for it when it
   * closes.
   *
   * @param write - undefined if nothing has changed
   */
  #inBackground(write: Promise<unknown> | undefined): void {
    if (!write) return;
    this.#onChanged();
    write.catch((err: unknown) => this.#logger.error({ err }, 'the canvas could not be stored'));
  }
}
