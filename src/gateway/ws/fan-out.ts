import type { EngineEvent, FrameEvent } from '../../actors/events.js';
import { DomainError } from '../../contract/errors.js';
import { RESYNC_RETRY_MS } from '../../contract/limits.js';
import { lifecycleFrame } from '../../contract/ws-messages.js';
import type { FrameVariant, Interest, OutputFrame } from '../../workers/shard/protocol.js';
import { FrameMemory, SharedFrame } from './shared-frame.js';
import type { FrameVariants, StreamClient } from './stream-client.js';

/** The source of output. */
export interface OutputSource {
  /** Sets which output is watched. Resolves once every shard follows that: every frame that comes afterwards does so. */
  watch(interest: Interest): Promise<void>;
  /** Emits the terminal's screen as a `resync` event. Throws terminal-not-found. */
  resync(id: string): Promise<void>;
}

/** Counts of all that was sent to WebSocket clients since the start, and the bytes that wait for connected clients. */
export interface StreamFigures {
  clients: number;
  messages: number;
  sentBytes: number;
  /** Frames of output that were dropped, counted once for each client that missed them. */
  dropped: number;
  /** Screens sent in place of dropped frames. */
  resyncs: number;
  queuedBytes: { sum: number; max: number };
}

/** Writes one frame to the sockets of all clients that want it. */
export class FanOut {
  readonly #source: OutputSource;
  readonly #onFault: (error: Error) => void;
  readonly #memory = new FrameMemory();
  readonly #clients = new Set<StreamClient>();
  readonly #everything = new Set<StreamClient>();
  readonly #byTerminal = new Map<string, Set<StreamClient>>();
  /**
   * Requested screens that have not arrived yet, by terminal. A screen serves every client that is owed it on arrival.
   */
  readonly #asked = new Map<string, symbol>();
  #isLifecycleFollowed = false;
  #onLifecycleFollowed: (isFollowed: boolean) => void = () => undefined;
  /** Counts of clients that have disconnected. */
  #gone = { messages: 0, sentBytes: 0, dropped: 0, resyncs: 0 };

  constructor(source: OutputSource, onFault: (error: Error) => void) {
    this.#source = source;
    this.#onFault = onFault;
  }

  /** Sets the listener that is called with whether any client follows lifecycle events, each time that changes. */
  onLifecycleFollowed(listener: (isFollowed: boolean) => void): void {
    this.#onLifecycleFollowed = listener;
  }

  /** Adds a client. Resolves once the client is live and misses nothing that is printed from then on. */
  async add(client: StreamClient): Promise<void> {
    const { terminals } = client.subscription;
    this.#clients.add(client);
    if (!terminals) this.#everything.add(client);
    for (const id of terminals ?? []) {
      const clients = this.#byTerminal.get(id) ?? new Set();
      this.#byTerminal.set(id, clients.add(client));
    }
    await this.#updateInterest();
    // Frames from before this may lack the client's terminals or its variant, so that a gap would follow them.
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

  /** Requests the screens that the client is owed, because its queue has room again. */
  drained(client: StreamClient): void {
    for (const id of client.takeOwed()) this.#ask(id);
  }

  frame(event: FrameEvent): void {
    const { type, id } = event;
    const frame = this.#shared(event);
    if (type === 'output') {
      for (const client of this.#watchers(id)) client.output(id, frame);
    } else {
      this.#asked.delete(id);
      for (const client of this.#watchers(id)) {
        // A client without room gets the screen requested again once its queue has drained.
        if (client.resync(id, frame)) this.drained(client);
      }
    }
    release(frame);
  }

  deliver(event: EngineEvent): void {
    const { id } = event;
    switch (event.type) {
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

  /** Wraps the event's frames, whose memory is freed after the last client has taken them. */
  #shared({ plain, seq }: OutputFrame): FrameVariants {
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
      // An `interrupted` since then has requested the screen again.
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
    const terminals = new Map([...this.#byTerminal].map(([id, clients]) => [id, variants(clients)]));
    return this.#source.watch({ all: variants(this.#everything), terminals }).catch(this.#onFault);
  }
}

/** Ends the fan-out's own use: a client that has not retained the frame by now never will. */
function release({ plain, seq }: FrameVariants): void {
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
