import { DomainError } from '../contract/errors.js';
import type { TmuxCapture } from '../contract/host-protocol.js';
import { type Labels, matches, patched } from '../contract/labels.js';
import { MAX_EXITED_TERMINALS } from '../contract/limits.js';
import type {
  CreateTerminal,
  Terminal,
  TerminalMode,
  TerminalSize,
  UpdateTerminal,
} from '../contract/terminal.js';
import type { Interest } from '../workers/shard/protocol.js';
import { Engine, type Parts } from './engine.js';
import type { EngineEvent } from './events.js';
import { newTerminal } from './new-terminal.js';
import { Registry } from './registry.js';
import type { Remote, Shards } from './shards.js';
import { takeIn } from './take-in.js';
import { TerminalEvents } from './terminal-events.js';
import {
  newTerminalId,
  packMeta,
  type RunningTerminal,
  type TerminalMeta,
  type TerminalRecord,
  toRunning,
  toTerminal,
  unpackMeta,
} from './terminal-record.js';
import type { TerminalsOptions } from './terminals-options.js';
import { Typist } from './typist.js';

/** All terminals of this service: the registry, and every operation on one of them by its id. */
export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #registry: Registry;
  readonly #events: TerminalEvents;
  readonly #typist: Typist;
  #engine!: Engine;
  #interest: Interest = { number: 0, all: [], terminals: new Map() };
  #stopping = false;

  private constructor(options: TerminalsOptions) {
    this.#options = options;
    this.#registry = new Registry({
      keepExitedMs: options.keepExitedMs,
      maxExited: MAX_EXITED_TERMINALS,
      onExpired: (record) => void this.#forget(record, 'expired'),
    });
    this.#events = new TerminalEvents(this.#registry, options.logger);
    this.#typist = new Typist({
      registry: this.#registry,
      events: this.#events,
      host: async () => (await this.#engine.parts).host,
    });
  }

  /** Connects to the pty host, starting it if need be, and adopts the terminals that live there. */
  static async start(options: TerminalsOptions): Promise<Terminals> {
    const terminals = new Terminals(options);
    terminals.#engine = await Engine.start({
      connectHost: options.connectHost,
      startShards: (callbacks) => {
        const openPlan = (id: string) => options.openPlan(id, terminals.#registry.get(id));
        const shards = options.startShards({ ...callbacks, openPlan });
        void shards.watch(terminals.#interest);
        return shards;
      },
      onGaveUp: options.onGaveUp,
      logger: options.logger,
      onStream: (message, watching) => terminals.#events.onStream(message, watching),
      onStarted: (parts) => terminals.#adopt(parts),
      onRehomed: (ids) => terminals.#events.onRehomed(ids),
      onHostLost: () => terminals.#events.onHostLost(),
    });
    return terminals;
  }

  /** Has every event from now on passed to `listener`, in order, after those that subscribed before. */
  subscribe(listener: (event: EngineEvent) => void): void {
    this.#events.subscribe(listener);
  }

  list(status: 'running' | 'all'): Terminal[] {
    return this.#registry.list(status).map(toTerminal);
  }

  get(id: string): Terminal {
    return toTerminal(this.#registry.get(id));
  }

  /** Ids of the running terminals whose labels are all of these. */
  select(selector: Labels): string[] {
    const records = this.#registry.list('running');
    return records.filter(({ meta }) => matches(meta.labels, selector)).map(({ id }) => id);
  }

  /** How a terminal was started, and what has become of it. Throws terminal-not-found. */
  startOf(id: string): Omit<Readonly<TerminalRecord>, 'handle' | 'expiry'> {
    return this.#registry.get(id);
  }

  /** Changes name and labels. Throws terminal-not-found; invalid-request for labels that may not be. */
  async update(id: string, { name, labels }: UpdateTerminal): Promise<Terminal> {
    const record = this.#registry.get(id);
    const merged = labels ? patched(record.meta.labels, labels) : record.meta.labels;
    await this.#keep(record, { ...record.meta, name: name ?? record.meta.name, labels: merged });
    return toTerminal(record);
  }

  /** What the process list says of each running terminal. */
  running(): RunningTerminal[] {
    return this.#registry.list('running').map(toRunning);
  }

  /** Files a terminal under another tab. */
  async move(id: string, tabId: string): Promise<void> {
    const record = this.#registry.get(id);
    await this.#keep(record, { ...record.meta, tabId });
  }

  readonly newId = newTerminalId;

  /** Gives the terminal of this `id` where there is one: an earlier request has made it. */
  async create(request: CreateTerminal, mode: TerminalMode, id = newTerminalId()): Promise<Terminal> {
    if (this.#stopping) throw new DomainError('shutting-down');
    const there = this.#registry.find(id);
    if (there) return toTerminal(there);
    const { meta: made, spawn } = await newTerminal(request, mode, id, this.#options);
    const { host, shards } = await this.#engine.parts;
    const { handle, pid, meta: earlier } = await host.spawn(spawn);
    const meta = (earlier && unpackMeta(earlier)) || made;
    // The end has begun meanwhile: nobody would close it.
    if (this.#stopping) {
      await host.kill(handle);
      throw new DomainError('shutting-down');
    }
    const { cols, rows } = spawn;
    const record: TerminalRecord = { id, handle, pid, meta, size: { cols, rows }, exit: null };
    const terminal = toTerminal(record);
    this.#registry.add(record);
    const { paneId, direction, parentTerminalId } = request;
    this.#events.emit({ type: 'created', id, terminal, placement: { paneId, direction, parentTerminalId } });
    const isNew = true;
    shards.open(id, handle, isNew);
    return terminal;
  }

  /** Ends a terminal's processes, or drops an exited one. It is out of the list when this resolves. */
  async close(id: string): Promise<void> {
    const record = this.#registry.remove(id);
    if (record.exit) {
      await this.#forget(record, 'closed');
      return;
    }
    const { host, shards } = await this.#engine.parts;
    shards.close(id);
    this.#events.emit({ type: 'removed', id, reason: 'closed' });
    await host.kill(record.handle);
  }

  size(id: string): TerminalSize {
    return this.#registry.running(id).size;
  }

  async resize(id: string, size: TerminalSize): Promise<void> {
    const record = this.#registry.running(id);
    record.resizes = (record.resizes ?? 0) + 1;
    const { shards } = await this.#engine.parts;
    await shards.call(id, (shard) => shard.resize(id, size.cols, size.rows));
    record.size = size;
  }

  /** What tmux shows of a terminal; null for one that does not live there, or not any more. Throws terminal-not-found. */
  async tmuxCapture(id: string, scrollback: boolean): Promise<TmuxCapture | null> {
    const { handle, meta, exit } = this.#registry.get(id);
    if (meta.backend !== 'tmux' || exit) return null;
    const { host } = await this.#engine.parts;
    return host.capture(handle, scrollback);
  }

  /** See {@link Typist}. */
  readonly type: Typist['type'] = (...typed) => this.#typist.type(...typed);
  readonly wasTyped: Typist['wasTyped'] = (...asked) => this.#typist.wasTyped(...asked);
  readonly typeAll: Typist['typeAll'] = (...typed) => this.#typist.typeAll(...typed);
  readonly press: Typist['press'] = (...pressed) => this.#typist.press(...pressed);
  readonly announceTyped: Typist['announceTyped'] = (...typed) => this.#typist.announceTyped(...typed);

  /** Says which output is watched; what nobody watches is not encoded. Resolves once every shard goes by it. */
  async watch(interest: Interest): Promise<void> {
    this.#interest = interest;
    const { shards } = await this.#engine.parts;
    await shards.watch(this.#interest);
  }

  /** Has the terminal's screen emitted as a `resync`, after which its output continues exactly. */
  async resync(id: string): Promise<void> {
    await this.onShard(id, (shard) => shard.resync(id));
  }

  /** Calls the shard of a terminal. Throws terminal-not-found; `unavailable` when the shard dies or is too late. */
  async onShard<Result>(
    id: string,
    request: (shard: Remote) => Promise<Result>,
    deadlineMs?: number,
  ): Promise<Result> {
    this.#registry.get(id);
    const { shards } = await this.#engine.parts;
    return shards.call(id, request, deadlineMs);
  }

  /** Tells all who follow terminals what somebody has found out about one that is there. */
  announce(event: EngineEvent): void {
    if (this.#registry.find(event.id)) this.#events.emit(event);
  }

  /** The shards of this moment; while they are being replaced it waits. */
  get shards(): Promise<Shards> {
    return this.#engine.parts.then(({ shards }) => shards);
  }

  /** Closes every terminal and ends the pty host. */
  async shutdown(): Promise<void> {
    this.#stopping = true;
    for (const { id } of this.#registry.clear()) this.#events.emit({ type: 'removed', id, reason: 'closed' });
    await this.#engine.shutdown();
  }

  async #adopt({ host, shards }: Parts): Promise<void> {
    const listed = await host.list();
    const lost = takeIn(listed, this.#registry, this.#options.logger);
    const isNew = false;
    for (const { id, handle } of listed) shards.open(id, handle, isNew);
    for (const id of lost) this.#events.emit({ type: 'removed', id, reason: 'lost' });
  }

  async #keep(record: TerminalRecord, meta: TerminalMeta): Promise<void> {
    record.meta = meta;
    const { host } = await this.#engine.parts;
    host.setMeta(record.handle, packMeta(meta));
  }

  /** Drops an exited terminal that is out of the registry already. */
  async #forget({ id, handle }: TerminalRecord, reason: 'closed' | 'expired'): Promise<void> {
    const { host, shards } = await this.#engine.parts;
    shards.close(id);
    host.forget(handle);
    this.#events.emit({ type: 'removed', id, reason });
  }
}
