import type { EngineEvent, FrameEvent } from '../../actors/events.js';
import { DomainError } from '../../contract/errors.js';
import { RESYNC_RETRY_MS } from '../../contract/limits.js';
import type { KeptEvent, PassingEvent } from '../../contract/service-event.js';
import { FreeMemory } from '../../workers/free-memory.js';
import type { Interest } from '../../workers/shard/protocol.js';
import type { FollowedSigns } from '../events/event-streams.js';
import { Attachments } from './attachments.js';
import { lifecycleMessage } from './lifecycle.js';
import { ServiceEvents } from './service-events.js';
import { releaseFrames, sharedFrames } from './shared-frame.js';
import type { StreamClient } from './stream-client.js';
import { addCounts, figuresOf, type StreamFigures } from './stream-figures.js';
import { Watchers } from './watchers.js';

/** The source of output. */
export interface OutputSource {
  /** Sets which output is watched. Resolves once every shard follows it; all later frames follow it, too. */
  watch(interest: Interest): Promise<void>;
  /** Emits the terminal's screen as a `resync` event. Throws terminal-not-found. */
  resync(id: string): Promise<void>;
  /** Returns the terminals: `all` includes exited terminals that are kept. */
  list(status: 'all'): readonly { id: string }[];
  /** Returns the last event of a terminal of another machine whose output has ended, or cannot be watched. */
  ended?(id: string): string | undefined;
}

/** Writes one frame to the sockets of all clients that want it. */
export class FanOut {
  readonly #source: OutputSource;
  readonly #onFault: (error: Error) => void;
  readonly #memory = new FreeMemory();
  readonly #clients = new Set<StreamClient>();
  readonly #watchers = new Watchers();
  readonly #attachments = new Attachments();
  readonly #serviceEvents = new ServiceEvents();
  /** Requested screens that have not arrived yet, by terminal. Each serves every client that is owed it on arrival. */
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

  /**
   * Adds a client. Resolves once the client is live and misses nothing that is printed from then on. With `snapshot`
   * the screens of its terminals are on their way at that point.
   */
  async add(client: StreamClient): Promise<void> {
    this.#clients.add(client);
    this.#attachments.connected(client);
    this.#serviceEvents.add(client);
    this.#watchers.add(client);
    await this.#updateInterest(client);
    // Frames from before this may lack the client's terminals or its variant, so that a gap would follow them.
    client.live = true;
    this.#begin(client, () => true);
    this.#updateFollowed();
    this.#tellEnded(client);
  }

  /**
   * Replaces the terminals that the client watches by these ids, or by every terminal. Resolves once it misses nothing
   * that they print from then on. Terminals that it watched before continue unchanged.
   */
  async watch(client: StreamClient, terminals: Iterable<string> | undefined): Promise<void> {
    if (!this.#clients.has(client)) return;
    this.#watchers.remove(client);
    const number = client.rewatch(terminals, (id) => this.#attachments.has(id, client));
    this.#watchers.add(client);
    await this.#updateInterest(client);
    this.#begin(client, client.watched.known(number));
    this.#tellEnded(client);
  }

  /** Sends the client the terminal's screen again. Returns false if it does not watch the terminal's output. */
  restart(client: StreamClient, id: string): boolean {
    const isOwed = client.begin(id);
    if (isOwed) this.drained(client);
    return isOwed;
  }

  /** Sets the signs of terminals that shards report for others than the clients of the fan-out. */
  followSigns(signs: FollowedSigns): void {
    this.#serviceEvents.others = signs;
    void this.#watch();
  }

  /** Sends an event of the service to the clients that take it. */
  tell(event: KeptEvent | PassingEvent): void {
    this.#serviceEvents.tell(event);
  }

  remove(client: StreamClient): void {
    if (this.#clients.delete(client)) this.#gone = addCounts(this.#gone, client);
    this.#watchers.remove(client);
    this.#serviceEvents.remove(client);
    this.#attachments.disconnected(client);
    void this.#updateInterest(client);
    this.#updateFollowed();
  }

  figures(): StreamFigures {
    return figuresOf(this.#clients, this.#gone);
  }

  /** Requests the screens that the client is owed, because its queue has room again. */
  drained(client: StreamClient): void {
    for (const id of client.takeOwed()) this.#ask(id);
  }

  frame(event: FrameEvent): void {
    const { type, id } = event;
    const frame = sharedFrames(event, this.#memory);
    if (type === 'output') {
      for (const client of this.#watchers.of(id)) client.output(id, frame);
    } else {
      this.#asked.delete(id);
      for (const client of this.#watchers.of(id)) {
        // A client without room gets the screen requested again once its queue has drained.
        if (client.resync(id, frame)) this.drained(client);
      }
    }
    releaseFrames(frame);
  }

  deliver(event: EngineEvent): void {
    const { id } = event;
    if (event.type === 'interrupted') {
      this.#asked.delete(id);
      for (const client of this.#watchers.of(id)) {
        if (client.interrupt(id)) this.#ask(id);
      }
      return;
    }
    if (event.type === 'removed') this.#forget(id);
    const lifecycle = lifecycleMessage(event);
    if (lifecycle) {
      const followers = [...this.#watchers.of(id)].filter(({ subscription }) => subscription.lifecycle);
      const clients = [...this.#attachments.concerned(event), ...followers];
      for (const client of this.#serviceEvents.recipients(event, clients))
        client.event(id, lifecycle.message, lifecycle.replaces);
    }
    const isNew = event.type === 'created';
    // New labels may bring a terminal into a client's sight.
    for (const client of isNew || event.type === 'updated' ? this.#watchers.of(id) : [])
      if (isNew ? client.subscription.snapshot && client.begin(id) : client.subscription.sees)
        this.drained(client);
  }

  /**
   * Sends an event that is already JSON to the terminal's clients that follow events, and to the clients that it
   * concerns. Terminals of other machines have such events.
   */
  pass(id: string, message: string, isConcerned: (client: StreamClient) => boolean): void {
    for (const client of this.#watchers.of(id))
      if (client.subscription.lifecycle || isConcerned(client)) client.event(id, message);
  }

  /**
   * Sends the last event of a terminal of another machine to its clients, which watch it no longer. A client that is
   * just about to watch it gets the event after that.
   */
  finish(id: string, message: string): void {
    this.#forget(id);
    const live = [...this.#watchers.of(id)].filter((client) => client.isLive(id));
    for (const client of live) this.#end(client, id, message);
    if (live.length > 0) void this.#watch();
  }

  /** Tells a client of its terminals that could not be watched, after the reply to its wish. */
  #tellEnded(client: StreamClient): void {
    const ended = () => [...client.watched.ids].filter((id) => this.#source.ended?.(id) !== undefined);
    const tell = () => {
      for (const id of ended()) this.#end(client, id, this.#source.ended?.(id) ?? '');
      void this.#watch();
    };
    if (ended().length > 0) setImmediate(tell);
  }

  #end(client: StreamClient, id: string, message: string): void {
    if (!this.#clients.has(client)) return;
    client.event(id, message);
    this.#watchers.remove(client);
    client.end(id);
    this.#watchers.add(client);
  }

  /** Requests the screens with which a client begins, of its terminals that are new to it, and others that it is owed. */
  #begin(client: StreamClient, isNew: (id: string) => boolean): void {
    if (!this.#clients.has(client)) return;
    for (const { id } of client.hasBeginnings ? this.#source.list('all') : [])
      if (isNew(id) && client.beginsWithScreen(id)) client.begin(id);
    this.drained(client);
  }

  /** Notes that the terminal is gone, so that no client is owed its screen any more. */
  #forget(id: string): void {
    this.#asked.delete(id);
    for (const client of this.#watchers.of(id)) if (client.forget(id)) this.drained(client);
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
        this.#forget(id);
      } else {
        this.#onFault(error);
        for (const client of this.#watchers.of(id)) client.resyncFailed(id);
        setTimeout(() => this.#drainAll(id), RESYNC_RETRY_MS).unref();
      }
    });
  }

  #drainAll(id: string): void {
    for (const client of this.#watchers.of(id)) this.drained(client);
  }

  #updateFollowed(): void {
    const isFollowed = [...this.#clients].some(({ subscription, live }) => live && subscription.lifecycle);
    if (isFollowed === this.#isLifecycleFollowed) return;
    this.#isLifecycleFollowed = isFollowed;
    this.#onLifecycleFollowed(isFollowed);
  }

  /** Passes on which output is wanted, after the client's wishes have changed. */
  async #updateInterest({ subscription }: StreamClient): Promise<void> {
    if (subscription.variant || subscription.everything || subscription.activity) await this.#watch();
  }

  async #watch(): Promise<void> {
    const interest = { ...this.#watchers.interest(), ...this.#serviceEvents.signs };
    await this.#source.watch(interest).catch(this.#onFault);
  }
}
