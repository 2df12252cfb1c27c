import { type Labels, matches, patched } from '../contract/labels.js';
import { MAX_EXITED_TERMINALS } from '../contract/limits.js';
import type { SystemInfo } from '../contract/system.js';
import type { Terminal, TerminalSize, UpdateTerminal } from '../contract/terminal.js';
import type { Interest } from '../workers/shard/protocol.js';
import type { Admission } from './admission/admission.js';
import { admissionTo } from './admission/of-registry.js';
import { Creation } from './creation.js';
import type { EngineEvent, FrameEvent } from './events.js';
import { HostQuestions } from './host-questions.js';
import { createInputGate } from './input-gate/create.js';
import type { InputGate } from './input-gate/input-gate.js';
import { Leaving } from './leaving.js';
import { type Parts, PtyHostSupervisor } from './pty-host-supervisor.js';
import { Registry } from './registry.js';
import type { Remote, Shards } from './shards.js';
import type { Starting } from './starting.js';
import { logTaken, takeIn } from './take-in.js';
import { TerminalEvents } from './terminal-events.js';
import {
  newTerminalId,
  packMeta,
  type RunningTerminal,
  type TerminalMeta,
  type TerminalRecord,
  toRunning,
  toTerminal,
} from './terminal-record.js';
import type { TerminalsOptions } from './terminals-options.js';
import { Typist } from './typist.js';

/** All terminals of this service: the registry, and every operation on a terminal by its id. */
export class Terminals {
  readonly gate: InputGate;
  readonly #options: TerminalsOptions;
  readonly #registry: Registry;
  readonly #events: TerminalEvents;
  readonly #typist: Typist;
  readonly #questions: HostQuestions;
  readonly #creation: Creation;
  readonly #leaving: Leaving;
  /** Decides when a terminal may be created. */
  readonly admission: Admission;
  #engine!: PtyHostSupervisor;
  #ptyHost!: SystemInfo['ptyHost'];
  #interest: Interest = { all: [], terminals: new Map() };

  private constructor(options: TerminalsOptions) {
    this.#options = options;
    this.#registry = new Registry({
      keepExitedMs: options.keepExitedMs,
      maxExited: MAX_EXITED_TERMINALS,
      onExpired: (record) => void this.#forget(record, 'expired'),
    });
    this.#events = new TerminalEvents(this.#registry, options.logger);
    const shared = { registry: this.#registry, events: this.#events };
    const host = async () => (await this.#engine.parts).host;
    this.gate = createInputGate(shared, options.inputSettings);
    this.#typist = new Typist({ ...options, ...shared, host, gate: this.gate });
    this.#questions = new HostQuestions(this.#registry, host);
    this.admission = admissionTo(shared, options.admission);
    const parts = () => this.#engine.parts;
    this.#leaving = new Leaving(parts, this.#events);
    this.#creation = new Creation({ ...options, ...shared, parts, admission: this.admission });
  }

  /** Connects to the pty host, starting it if necessary, and adopts the terminals that live there. */
  static async start(options: TerminalsOptions): Promise<Terminals> {
    const terminals = new Terminals(options);
    terminals.#engine = await PtyHostSupervisor.start({
      connectHost: options.connectHost,
      startShards: (callbacks) => {
        const openPlan = (id: string) => {
          const record = terminals.#registry.find(id);
          return record && options.openPlan(id, record);
        };
        const shards = options.startShards({ ...callbacks, openPlan });
        void shards.watch(terminals.#interest);
        return shards;
      },
      onGaveUp: options.onGaveUp,
      logger: options.logger,
      onStream: (message) => terminals.#events.onStream(message),
      onStarted: (parts) => terminals.#adopt(parts),
      onRehomed: (ids) => terminals.#events.onRehomed(ids),
      onHostLost: () => terminals.#events.onHostLost(),
    });
    return terminals;
  }

  /** Passes every later event to `listener`, in order, after the listeners that subscribed before. */
  subscribe(listener: (event: EngineEvent) => void): void {
    this.#events.subscribe(listener);
  }

  /** Passes output to `listener`, in order with the events of the same terminal. */
  onFrame(listener: (frame: FrameEvent) => void): void {
    this.#events.onFrame(listener);
  }

  list(status: 'running' | 'all'): Terminal[] {
    return this.#registry.list(status).map(toTerminal);
  }

  get(id: string): Terminal {
    return toTerminal(this.#registry.get(id));
  }

  /** Returns the ids of the running terminals that have all of these labels. */
  select(selector: Labels): string[] {
    const records = this.#registry.list('running');
    return records.filter(({ meta }) => matches(meta.labels, selector)).map(({ id }) => id);
  }

  /** Returns how a terminal was started, and its state. Throws terminal-not-found. */
  startOf(id: string): Omit<Readonly<TerminalRecord>, 'handle' | 'expiry'> {
    return this.#registry.get(id);
  }

  /** Changes name and labels; they then survive the pty host. Throws terminal-not-found, invalid-request, unavailable. */
  async update(id: string, { name, labels = {} }: UpdateTerminal): Promise<Terminal> {
    const record = this.#registry.get(id);
    const changed = { name: name ?? record.meta.name, labels: patched(record.meta.labels, labels) };
    await (await this.#keep(record, { ...record.meta, ...changed })).hasTaken(record.handle);
    return toTerminal(record);
  }

  /** Returns facts about each running terminal for the process list. */
  running(): RunningTerminal[] {
    return this.#registry.list('running').map(toRunning);
  }

  /** Changes what the service keeps of a terminal: its tab, the size that the API has set. Throws terminal-not-found. */
  async amend(id: string, change: Partial<Pick<TerminalMeta, 'tabId' | 'baseSize'>>): Promise<void> {
    const record = this.#registry.get(id);
    await this.#keep(record, { ...record.meta, ...change });
  }

  readonly newId = newTerminalId;

  get starting(): Starting {
    return this.#creation.starting;
  }

  /** See {@link Creation.create}. */
  readonly create: Creation['create'] = (...asked) => this.#creation.create(...asked);

  /** Ends a terminal's processes, or drops an exited terminal. The terminal is out of the list when this resolves. */
  async close(id: string): Promise<void> {
    const record = this.#registry.remove(id);
    if (record.exit) return this.#forget(record, 'closed');
    await (await this.#leaving.take(id, 'closed')).kill(record.handle);
  }

  size(id: string): TerminalSize {
    return this.#registry.running(id).size;
  }

  async resize(id: string, size: TerminalSize): Promise<void> {
    const record = this.#registry.running(id);
    record.resizes = (record.resizes ?? 0) + 1;
    await (await this.#engine.parts).shards.call(id, (shard) => shard.resize(id, size.cols, size.rows));
    record.size = size;
  }

  /** See {@link HostQuestions}. */
  readonly tmuxCapture: HostQuestions['tmuxCapture'] = (...asked) => this.#questions.tmuxCapture(...asked);
  readonly readAll: HostQuestions['readAll'] = (id) => this.#questions.readAll(id);
  readonly signal: HostQuestions['signal'] = (...sent) => this.#questions.signal(...sent);

  /** See {@link Typist}. */
  readonly type: Typist['type'] = (...typed) => this.#typist.type(...typed);
  readonly wasTyped: Typist['wasTyped'] = (...asked) => this.#typist.wasTyped(...asked);
  readonly typeAll: Typist['typeAll'] = (...typed) => this.#typist.typeAll(...typed);
  readonly enter: Typist['enter'] = (...asked) => this.#typist.enter(...asked);
  readonly press: Typist['press'] = (...pressed) => this.#typist.press(...pressed);
  readonly announceTyped: Typist['announceTyped'] = (...typed) => this.#typist.announceTyped(...typed);

  /** Sets which output is watched; other output is not encoded. Resolves once every shard follows that. */
  async watch(interest: Interest): Promise<void> {
    this.#interest = interest;
    await (await this.shards).watch(this.#interest);
  }

  /** Emits the terminal's screen as a `resync`, after which its output continues exactly. */
  async resync(id: string): Promise<void> {
    await this.onShard(id, (shard) => shard.resync(id));
  }

  /** Calls a terminal's shard. Throws terminal-not-found; `unavailable` when the shard dies or answers too late. */
  async onShard<Result>(
    id: string,
    request: (shard: Remote) => Promise<Result>,
    deadlineMs?: number,
  ): Promise<Result> {
    this.#registry.get(id);
    return (await this.#engine.parts).shards.call(id, request, deadlineMs);
  }

  /** Passes an event to all followers of terminals, unless its terminal is gone; `detached` passes in any case. */
  announce(event: EngineEvent): void {
    if (event.type === 'detached' || this.#registry.find(event.id)) this.#events.emit(event);
  }

  /** Resolves with the current shards, or with the next ones while they are being replaced. */
  get shards(): Promise<Shards> {
    return this.#engine.parts.then(({ shards }) => shards);
  }

  /** The pty host that is connected, or was last. */
  get ptyHost(): SystemInfo['ptyHost'] {
    return this.#ptyHost;
  }

  /** Closes every terminal and ends the pty host. */
  async shutdown(): Promise<void> {
    this.#creation.stop();
    await this.#leaving.settled();
    for (const { id } of this.#registry.clear()) this.#events.emit({ type: 'removed', id, reason: 'closed' });
    await this.#engine.shutdown();
  }

  async #adopt({ host, shards }: Parts): Promise<void> {
    this.#ptyHost = { pid: host.hostPid, version: host.hostVersion ?? null };
    const hostSince = await this.#options.hostSince();
    const listed = await host.list();
    const { logger } = this.#options;
    const { taken, lost } = takeIn(listed, { registry: this.#registry, leaving: this.#leaving }, logger);
    const from = { hostPid: host.hostPid, hostRelease: host.hostVersion, hostSince };
    logTaken(taken, this.#registry, from, logger);
    for (const { id, handle } of listed) shards.open(id, handle, { isNew: false });
    for (const id of taken) this.#events.emit({ type: 'adopted', id });
    for (const id of lost) this.#events.emit({ type: 'removed', id, reason: 'lost' });
  }

  async #keep(record: TerminalRecord, meta: TerminalMeta): Promise<Parts['host']> {
    record.meta = meta;
    this.#events.emit({ type: 'updated', id: record.id, terminal: toTerminal(record) });
    const { host } = await this.#engine.parts;
    host.setMeta(record.handle, packMeta(meta));
    return host;
  }

  /** Drops an exited terminal that is out of the registry already. */
  async #forget({ id, handle }: TerminalRecord, reason: 'closed' | 'expired'): Promise<void> {
    (await this.#leaving.take(id, reason)).forget(handle);
  }
}
