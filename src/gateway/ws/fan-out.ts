import type { EngineEvent } from '../../actors/events.js';
import { DomainError } from '../../contract/errors.js';
import { RESYNC_RETRY_MS } from '../../contract/limits.js';
import { lifecycleFrame } from '../../contract/ws-messages.js';
import type { FrameVariant, Interest, OutputFrame } from '../../workers/shard/protocol.js';
import { FrameMemory, SharedFrame } from './shared-frame.js';
import type { Frame, StreamClient } from './stream-client.js';

/** Where output comes from. */
export interface OutputSource {
  /** Says which output is watched; resolves once every shard goes by it. */
  watch(interest: Interest): Promise<void>;
  /** Has the screen emitted as a `resync` event; throws terminal-not-found. */
  resync(id: string): Promise<void>;
}

/** What has been sent to WebSocket clients since the start, and what waits for those that are connected. */
export interface StreamFigures {
  clients: number;
  messages: number;
  sentBytes: number;
  /** Frames of output, once for each client that missed them. */
  dropped: number;
  /** Screens sent in place of what was dropped. */
  resyncs: number;
  queuedBytes: { sum: number; max: number };
}

/** Turns one frame into as many socket writes as there are clients that want it. */
export class FanOut {
  readonly #source: OutputSource;
  readonly #onFault: (error: Error) => void;
  readonly #memory = new FrameMemory();
  readonly #clients = new Set<StreamClient>();
  readonly #everything = new Set<StreamClient>();
  readonly #byTerminal = new Map<string, Set<StreamClient>>();
  /** Screens asked for and not arrived yet, by terminal; one serves every client that is owed it by then. */
  readonly #asked = new Map<string, symbol>();
  #interest = 0;
  #isLifecycleFollowed = false;
  #onLifecycleFollowed: (isFollowed: boolean) => void = () => undefined;
  /** Of clients that have gone. */
  #gone = { messages: 0, sentBytes: 0, dropped: 0, resyncs: 0 };

  constructor(source: OutputSource, onFault: (error: Error) => void) {
    this.#source = source;
    this.#onFault = onFault;
  }

  /** `listener` is told whether any client follows lifecycle events, each time that changes. */
  onLifecycleFollowed(listener: (isFollowed: boolean) => void): void {
    this.#onLifecycleFollowed = listener;
  }

  /** Resolves once nothing that is printed from then on is missed; the client is live then. */
  async add(client: StreamClient): Promise<void> {
    const { terminals } = client.subscription;
    this.#clients.add(client);
    if (!terminals) this.#everything.add(client);
    client.joined = this.#interest + 1;
    for (const id of terminals ?? []) {
      const clients = this.#byTerminal.get(id) ?? new Set();
      this.#byTerminal.set(id, clients.add(client));
    }
    await this.#updateInterest();
    client.live = true;
    this.#updateFollowed();
  }

  remove(client: StreamClient): void {
    if (this.#clients.delete(client)) this.#gone = addCounts(this.#gone, client);
    this.#everything.delete(client);
    for (const id of client.subscription.terminals ?? []) {
      const clients = this.#byTerminal.get(id);
      clients?.delete(client);
      if (clients?.size === 0) this.#byTerminal.delete(id);
    }
    void this.#updateInterest();
    this.#updateFollowed();
  }

  figures(): StreamFigures {
    const clients = [...this.#clients];
    const queued = clients.map(({ queue }) => queue.queued);
    return {
      clients: clients.length,
      ...clients.reduce(addCounts, this.#gone),
      queuedBytes: { sum: queued.reduce((sum, bytes) => sum + bytes, 0), max: Math.max(0, ...queued) },
    };
  }

  /** The client has room again: asks for what it is owed. */
  drained(client: StreamClient): void {
    for (const id of client.takeOwed()) this.#ask(id);
  }

  deliver(event: EngineEvent): void {
    const { id } = event;
    switch (event.type) {
      case 'output': {
        const frame = this.#shared(event);
        this.#output(id, frame, event.watching);
        release(frame);
        return;
      }
      case 'resync': {
        this.#asked.delete(id);
        const frame = this.#shared(event);
        for (const client of this.#watchers(id)) {
          // One that had no room is asked for again when its queue has drained.
          if (client.resync(id, frame)) this.drained(client);
        }
        release(frame);
        return;
      }
      case 'interrupted':
        this.#asked.delete(id);
        for (const client of this.#watchers(id)) {
          client.interrupt(id);
          this.#ask(id);
        }
        return;
      case 'created':
        this.#lifecycle(
          id,
          lifecycleFrame({ type: 'terminal.created', terminalId: id, data: event.terminal }),
        );
        return;
      case 'resized': {
        const data = { cols: event.cols, rows: event.rows };
        this.#lifecycle(id, lifecycleFrame({ type: 'terminal.resized', terminalId: id, data }), 'resized');
        return;
      }
      case 'command': {
        const type = event.command.endedAt === null ? 'command.started' : 'command.finished';
        this.#lifecycle(id, lifecycleFrame({ type, terminalId: id, data: event.command }));
        return;
      }
      case 'agent': {
        const message = lifecycleFrame({ type: 'agent.status', terminalId: id, data: event.agent });
        this.#lifecycle(id, message, 'agent');
        return;
      }
      case 'exited':
        this.#lifecycle(id, lifecycleFrame({ type: 'terminal.exited', terminalId: id, data: event.exit }));
        return;
      case 'removed':
        this.#asked.delete(id);
        for (const client of this.#watchers(id)) client.forget(id);
        this.#lifecycle(id, lifecycleFrame({ type: 'terminal.removed', terminalId: id, data: {} }));
    }
  }

  /** Frames of before a client joined are on their way still; there would be a hole behind them. */
  #output(id: string, frame: Frame, watching: number): void {
    for (const client of this.#everything) if (watching >= client.joined) client.output(id, frame);
    const own = this.#byTerminal.get(id);
    if (!own) return;
    for (const client of own) if (watching >= client.joined) client.output(id, frame);
  }

  /** The memory of the event's frames goes with its last client. */
  #shared({ plain, seq }: OutputFrame): Frame {
    return {
      plain: plain && new SharedFrame(plain, this.#memory),
      seq: seq && new SharedFrame(seq, this.#memory),
    };
  }

  *#watchers(id: string): Iterable<StreamClient> {
    yield* this.#everything;
    yield* this.#byTerminal.get(id) ?? [];
  }

  #lifecycle(id: string, message: string, replaces?: string): void {
    for (const client of this.#watchers(id)) {
      if (client.subscription.lifecycle) client.event(id, message, replaces);
    }
  }

  #ask(id: string): void {
    if (this.#asked.has(id)) return;
    const request = Symbol(id);
    this.#asked.set(id, request);
    this.#source.resync(id).catch((error: Error) => {
      // An `interrupted` since then has asked anew.
      if (this.#asked.get(id) !== request) return;
      this.#asked.delete(id);
      if (error instanceof DomainError && error.code === 'terminal-not-found') {
        for (const client of this.#watchers(id)) client.forget(id);
      } else {
        this.#onFault(error);
        for (const client of this.#watchers(id)) client.resyncFailed(id);
        setTimeout(() => this.#drainAll(id), RESYNC_RETRY_MS).unref();
      }
    });
  }

  #drainAll(id: string): void {
    for (const client of this.#watchers(id)) this.drained(client);
  }

  #updateFollowed(): void {
    const isFollowed = [...this.#clients].some(({ subscription, live }) => live && subscription.lifecycle);
    if (isFollowed === this.#isLifecycleFollowed) return;
    this.#isLifecycleFollowed = isFollowed;
    this.#onLifecycleFollowed(isFollowed);
  }

  #updateInterest(): Promise<void> {
    this.#interest++;
    const terminals = new Map([...this.#byTerminal].map(([id, clients]) => [id, variants(clients)]));
    return this.#source
      .watch({ number: this.#interest, all: variants(this.#everything), terminals })
      .catch(this.#onFault);
  }
}

/** Whoever has not taken it by now will not. */
function release({ plain, seq }: Frame): void {
  plain?.release();
  seq?.release();
}

type Counts = Pick<StreamFigures, 'messages' | 'sentBytes' | 'dropped' | 'resyncs'>;

function addCounts(counts: Counts, { queue, counters }: StreamClient): Counts {
  return {
    messages: counts.messages + queue.messages,
    sentBytes: counts.sentBytes + queue.sent,
    dropped: counts.dropped + counters.dropped,
    resyncs: counts.resyncs + counters.resyncs,
  };
}

function variants(clients: Iterable<StreamClient>): FrameVariant[] {
  return [...new Set([...clients].map((client) => client.subscription.variant))];
}
