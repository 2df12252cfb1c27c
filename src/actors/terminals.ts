import { homedir } from 'node:os';
import type { Logger } from 'pino';
import { DomainError } from '../contract/errors.js';
import { MAX_EXITED_TERMINALS, MAX_LABEL_CHARS, MAX_PENDING_INPUT_BYTES } from '../contract/limits.js';
import type { Profile } from '../contract/profile.js';
import type {
  CreateTerminal,
  InputPart,
  OutputPage,
  Snapshot,
  Terminal,
  TerminalMode,
  TerminalSize,
} from '../contract/terminal.js';
import type { Interest, OutputQuery } from '../workers/shard/protocol.js';
import { Engine, type EngineOptions, type Parts } from './engine.js';
import type { EngineEvent } from './events.js';
import type { Profiles } from './profiles.js';
import { Registry } from './registry.js';
import type { TerminalMessage } from './shards.js';
import {
  newTabId,
  newTerminalId,
  packMeta,
  type TerminalRecord,
  toTerminal,
  unknownMeta,
  unpackMeta,
} from './terminal-record.js';

export interface TerminalsOptions extends Pick<EngineOptions, 'connectHost' | 'startShards' | 'onGaveUp'> {
  profiles: Profiles;
  /** The environment of a shell. */
  environment: (profile: Profile, request: CreateTerminal, id: string) => Record<string, string>;
  /** Time an exited terminal still answers reads. */
  keepExitedMs: number;
  logger: Logger;
}

/** All terminals of this service: the registry, and every operation on one of them by its id. */
export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #registry: Registry;
  #engine!: Engine;
  #interest: Interest = { number: 0, all: [], terminals: new Map() };
  #stopping = false;
  #emit: (event: EngineEvent) => void = () => undefined;

  private constructor(options: TerminalsOptions) {
    this.#options = options;
    this.#registry = new Registry({
      keepExitedMs: options.keepExitedMs,
      maxExited: MAX_EXITED_TERMINALS,
      onExpired: (record) => void this.#forget(record),
    });
  }

  /** Connects to the pty host, starting it if need be, and adopts the terminals that live there. */
  static async start(options: TerminalsOptions): Promise<Terminals> {
    const terminals = new Terminals(options);
    terminals.#engine = await Engine.start({
      connectHost: options.connectHost,
      startShards: (callbacks) => {
        const shards = options.startShards(callbacks);
        void shards.watch(terminals.#interest);
        return shards;
      },
      onGaveUp: options.onGaveUp,
      logger: options.logger,
      onStream: (message, watching) => terminals.#onStream(message, watching),
      onStarted: (parts) => terminals.#adopt(parts),
      onRehomed: (ids) => {
        for (const id of ids) terminals.#interrupted(id);
      },
      onHostLost: () => terminals.#onHostLost(),
    });
    return terminals;
  }

  /** Has every event from now on passed to `listener`, in order; there is one listener. */
  subscribe(listener: (event: EngineEvent) => void): void {
    this.#emit = listener;
  }

  list(status: 'running' | 'all'): Terminal[] {
    return this.#registry.list(status).map(toTerminal);
  }

  get(id: string): Terminal {
    return toTerminal(this.#registry.get(id));
  }

  async create(request: CreateTerminal, mode: TerminalMode): Promise<Terminal> {
    if (this.#stopping) throw new DomainError('shutting-down');
    const { host, shards } = await this.#engine.parts;
    const profile = this.#options.profiles.resolve(request.profileId ?? request.profile);
    const id = newTerminalId();
    const meta = {
      name: request.name ?? `Terminal-${profile.id}`,
      profile: profile.id,
      tabId: request.tabId ?? newTabId(),
      mode,
      createdAt: Date.now(),
    };
    const [file = profile.path, ...args] = request.command ?? [profile.path, ...profile.args];
    const size = { cols: request.cols, rows: request.rows };
    const { handle, pid } = await host.spawn({
      id,
      file,
      args,
      env: this.#options.environment(profile, request, id),
      cwd: request.cwd ?? profile.cwd ?? homedir(),
      ...size,
      meta: packMeta(meta),
    });
    const record: TerminalRecord = { id, handle, pid, meta, size, exit: null };
    const terminal = toTerminal(record);
    this.#registry.add(record);
    this.#emit({ type: 'created', id, terminal });
    const isNew = true;
    shards.open(id, handle, isNew);
    return terminal;
  }

  /** Ends a terminal's processes, or drops an exited one. It is out of the list when this resolves. */
  async close(id: string): Promise<void> {
    const record = this.#registry.remove(id);
    const { host, shards } = await this.#engine.parts;
    shards.close(id);
    this.#emit({ type: 'removed', id });
    if (record.exit) host.forget(record.handle);
    else await host.kill(record.handle);
  }

  size(id: string): TerminalSize {
    return this.#registry.running(id).size;
  }

  async resize(id: string, size: TerminalSize): Promise<void> {
    const record = this.#registry.running(id);
    const { shards } = await this.#engine.parts;
    await shards.call(id, (shard) => shard.resize(id, size.cols, size.rows));
    record.size = size;
  }

  /** By way of the pty host alone: it keeps requests whole and bounded, whatever becomes of a shard. */
  async type(id: string, parts: InputPart[]): Promise<void> {
    const { handle } = this.#registry.running(id);
    // Refused here already, so that a batch of large writes is not copied to the host only to be refused there.
    const characters = parts.reduce((sum, { data }) => sum + data.length, 0);
    if (characters > MAX_PENDING_INPUT_BYTES + MAX_LABEL_CHARS) throw new DomainError('input-buffer-full');
    const { host } = await this.#engine.parts;
    await host.type(handle, parts);
  }

  async output(id: string, query: OutputQuery): Promise<OutputPage> {
    this.#registry.get(id);
    const { shards } = await this.#engine.parts;
    return shards.call(id, (shard) => shard.read(id, query));
  }

  async snapshot(id: string): Promise<Snapshot> {
    this.#registry.get(id);
    const { shards } = await this.#engine.parts;
    return shards.call(id, (shard) => shard.snapshot(id));
  }

  /** Says which output is watched; what nobody watches is not encoded. Resolves once every shard goes by it. */
  async watch(interest: Interest): Promise<void> {
    this.#interest = interest;
    const { shards } = await this.#engine.parts;
    await shards.watch(this.#interest);
  }

  /** Has the terminal's screen emitted as a `resync`, after which its output continues exactly. */
  async resync(id: string): Promise<void> {
    this.#registry.get(id);
    const { shards } = await this.#engine.parts;
    await shards.call(id, (shard) => shard.resync(id));
  }

  /** Ends the thread of one shard, as its supervisor does when it hangs. */
  async killShard(index: number): Promise<void> {
    const { shards } = await this.#engine.parts;
    await shards.kill(index);
  }

  /** Closes every terminal and ends the pty host. */
  async shutdown(): Promise<void> {
    this.#stopping = true;
    this.#registry.clear();
    await this.#engine.shutdown();
  }

  async #adopt({ host, shards }: Parts): Promise<void> {
    for (const { meta: packed, exit, ...found } of await host.list()) {
      const { id, handle, pid, cols, rows } = found;
      const meta = unpackMeta(packed);
      if (!meta) this.#options.logger.warn({ terminal: id }, 'the metadata of a terminal could not be read');
      this.#registry.add({ id, handle, pid, meta: meta ?? unknownMeta(), size: { cols, rows }, exit });
      const isNew = false;
      shards.open(id, handle, isNew);
    }
  }

  #onStream(message: TerminalMessage, watching: number): void {
    if (message.type === 'fault') {
      this.#options.logger.error(
        { terminal: message.id, fault: message.error },
        'a screen failed and was reset',
      );
      return;
    }
    // What was on its way when the terminal was removed.
    const record = this.#registry.find(message.id);
    if (!record) return;
    if (message.type === 'resized') record.size = { cols: message.cols, rows: message.rows };
    if (message.type === 'exited') {
      // An adopted terminal may have exited before; its shard reports it again.
      if (record.exit) return;
      this.#registry.exited(record, message.exit);
    }
    if (message.type === 'interrupted') this.#interrupted(message.id);
    else if (message.type === 'output') this.#emit({ ...message, watching });
    else this.#emit(message);
  }

  /** What had exited printed all its output before; nobody misses any of it. */
  #interrupted(id: string): void {
    const record = this.#registry.find(id);
    if (record && !record.exit) this.#emit({ type: 'interrupted', id });
  }

  #onHostLost(): void {
    const exit = { exitCode: null, signal: null, exitedAt: Date.now() };
    for (const record of this.#registry.clear()) {
      if (!record.exit) this.#emit({ type: 'exited', id: record.id, exit });
      this.#emit({ type: 'removed', id: record.id });
    }
  }

  async #forget({ id, handle }: TerminalRecord): Promise<void> {
    const { host, shards } = await this.#engine.parts;
    shards.close(id);
    host.forget(handle);
    this.#emit({ type: 'removed', id });
  }
}
