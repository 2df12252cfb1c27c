import type { ChangesAnswer } from '../contract/changes.js';
import { DomainError } from '../contract/errors.js';
import {
  CATCH_UP_AT_CLOSE_MS,
  FEED_SETTLE_MS,
  HEARTBEAT_DEADLINE_MS,
  HEARTBEAT_INTERVAL_MS,
  SCRAPE_DEADLINE_MS,
  SHARD_RESTARTS,
  WATCH_DEADLINE_MS,
} from '../contract/limits.js';
import type { Interest, OpenTerminal } from '../workers/shard/protocol.js';
import type { RowsQuery } from '../workers/shard/screen-rows-api.js';
import { ShardClient } from '../workers/shard/shard-client.js';
import type { LineSearchChange } from '../workers/shard/watches/watch-api.js';
import { Supervised } from './kernel/supervised.js';
import type { ScreenRowsCalls, ShardReport, ShardsOptions, Slot } from './shards-options.js';

/** The API of a shard as `Link.call` passes it to requests. */
export type Remote = Parameters<Parameters<ShardClient['link']['call']>[0]>[0];

/** Places terminals on shards, routes calls, and opens the terminals of a dead shard on its successor. */
export class Shards {
  readonly #options: ShardsOptions;
  readonly #slots: Slot[];
  readonly #homes = new Map<string, Slot>();
  #interest: Interest = { all: [], terminals: new Map() };

  constructor(options: ShardsOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.count }, (_, index) => this.#startSlot(index));
  }

  /** Places a terminal of the pty host on the shard with the fewest terminals. */
  open(id: string, handle: number, how: Pick<OpenTerminal, 'isNew' | 'isHeld'>): void {
    const slot = this.#slots.reduce((least, other) =>
      other.terminals.size < least.terminals.size ? other : least,
    );
    slot.terminals.set(id, handle);
    this.#homes.set(id, slot);
    this.#openOn(slot, id, handle, how);
  }

  async close(id: string): Promise<void> {
    const slot = this.#homes.get(id);
    if (!slot?.terminals.delete(id)) return;
    this.#homes.delete(id);
    await this.#cast(slot, (shard) => shard.close(id), CATCH_UP_AT_CLOSE_MS);
  }

  /** Calls the shard of a terminal; see {@link Link.call}. Throws terminal-not-found. */
  call<Result>(
    id: string,
    request: (shard: Remote) => Promise<Result>,
    deadlineMs?: number,
  ): Promise<Result> {
    const slot = this.#homes.get(id);
    // The terminal was closed while the call waited for its turn.
    if (!slot) throw new DomainError('terminal-not-found');
    return slot.supervised.child.link.call(request, deadlineMs);
  }

  /** Returns the output of every terminal that has printed since its cursor, with one call for each shard. */
  async changes(cursors: ReadonlyMap<string, string | null>, maxBytes: number): Promise<ChangesAnswer> {
    const { bySlot, missing } = this.#grouped([...cursors], ([id]) => id);
    const answers = await Promise.all(
      [...bySlot].map(([slot, own]) =>
        slot.supervised.child.link.call((shard) => shard.changes(new Map(own), maxBytes)),
      ),
    );
    return {
      changes: answers.flatMap(({ changes }) => changes),
      missing,
      invalid: answers.flatMap(({ invalid }) => invalid),
    };
  }

  /** Asks for the rows of screens: a call for each shard, so that none waits for another. */
  screenRows(queries: readonly RowsQuery[]): ScreenRowsCalls {
    const { bySlot, missing } = this.#grouped(queries, ({ id }) => id);
    const calls = [...bySlot].map(([slot, own]) => ({
      queries: own,
      answer: slot.supervised.child.link.call((shard) => shard.screenRows(own)),
    }));
    return { calls, missing };
  }

  /**
   * Sets which output is watched, and in which forms. Resolves once every shard follows that: every frame that comes
   * afterwards does so.
   */
  async watch(interest: Interest): Promise<void> {
    this.#interest = interest;
    await Promise.all(this.#slots.map((slot) => this.#watch(slot)));
  }

  /** Changes the standing searches of all shards; resolves once they search for these. */
  async searchLines(change: LineSearchChange): Promise<void> {
    await Promise.all(this.#slots.map((slot) => this.#cast(slot, (shard) => shard.searchLines(change))));
  }

  /** Passes the present answer of `isFeeding` to all shards. */
  feed(): void {
    for (const slot of this.#slots) this.#feed(slot);
  }

  /** Resolves once everything printed so far is fed to the search index, or after FEED_SETTLE_MS. */
  async settle(): Promise<void> {
    const settle = (slot: Slot) => this.#cast(slot, (shard) => shard.settle(), FEED_SETTLE_MS);
    await Promise.all(this.#slots.map(settle));
  }

  /** Returns the ids of the recordings that shards write. Rejects with `unavailable` when a shard does not answer. */
  async recordings(): Promise<Set<string>> {
    const calls = this.#slots.map((slot) => slot.supervised.child.link.call((shard) => shard.recordings()));
    return new Set((await Promise.all(calls)).flat());
  }

  /** Returns how busy each shard is, and its counts. */
  report(): Promise<ShardReport[]> {
    return Promise.all(this.#slots.map((slot) => this.#reportOf(slot)));
  }

  /** Ends the thread of a shard that hangs; its terminals get a new one. */
  async kill(index: number): Promise<void> {
    await this.#slots[index]?.supervised.child.terminate();
  }

  async stop(): Promise<void> {
    for (const slot of this.#slots) {
      clearInterval(slot.heartbeat);
      slot.supervised.stop();
    }
    await Promise.all(this.#slots.map((slot) => slot.supervised.child.terminate()));
  }

  /** Groups items about terminals by their shards; `missing` are the terminals that have no shard. */
  #grouped<Item>(items: readonly Item[], idOf: (item: Item) => string) {
    const bySlot = new Map<Slot, Item[]>();
    const missing: string[] = [];
    for (const item of items) {
      const slot = this.#homes.get(idOf(item));
      const own = slot && bySlot.get(slot);
      if (!slot) missing.push(idOf(item));
      else if (own) own.push(item);
      else bySlot.set(slot, [item]);
    }
    return { bySlot, missing };
  }

  #startSlot(index: number): Slot {
    const { socketPath, instanceId, scrollback, spillFolder, onStream, onGaveUp, logger } = this.#options;
    const terminals = new Map<string, number>();
    const supervised = new Supervised<ShardClient>({
      budget: SHARD_RESTARTS,
      start: () =>
        new ShardClient({
          socketPath,
          instanceId,
          scrollback,
          spillFolder,
          onStream: (message) => {
            if (message.type !== 'spill-fault') onStream(message);
            else
              logger.error(
                { shard: index, fault: message.error },
                'the screens of sleeping terminals cannot be written to the disk; they stay in memory',
              );
          },
        }),
      died: (client) => client.died,
      restarted: (_client, reason) => {
        slot.restarts++;
        slot.outputBytes = { earlier: slot.outputBytes.earlier + slot.outputBytes.present, present: 0 };
        logger.warn(
          { err: reason, shard: index, terminals: terminals.size },
          'a shard died and was replaced',
        );
        this.#rehome(slot);
      },
      gaveUp: onGaveUp,
    });
    const heartbeat = setInterval(() => this.#beat(index), HEARTBEAT_INTERVAL_MS);
    const outputBytes = { earlier: 0, present: 0 };
    const slot: Slot = { supervised, terminals, heartbeat, outputBytes, restarts: 0 };
    this.#feed(slot);
    return slot;
  }

  #watch(slot: Slot): Promise<void> {
    const interest = this.#interest;
    return this.#cast(slot, (shard) => shard.watch(interest), WATCH_DEADLINE_MS);
  }

  #feed(slot: Slot): void {
    const isOn = this.#options.isFeeding();
    void this.#cast(slot, (shard) => shard.feed(isOn));
  }

  #rehome(slot: Slot): void {
    void this.#watch(slot);
    this.#feed(slot);
    void this.#cast(slot, (shard) => shard.searchLines(this.#options.searches()));
    for (const [id, handle] of slot.terminals) this.#openOn(slot, id, handle, { isNew: false });
    this.#options.onRehomed([...slot.terminals.keys()]);
  }

  #openOn(slot: Slot, id: string, handle: number, how: Pick<OpenTerminal, 'isNew' | 'isHeld'>): void {
    const plan = this.#options.openPlan(id);
    // A terminal that is closed needs no new shard; the service may be stopping, which closes all of them.
    if (plan) void this.#cast(slot, (shard) => shard.open({ id, handle, ...how, ...plan }));
  }

  async #reportOf(slot: Slot): Promise<ShardReport> {
    const { child } = slot.supervised;
    // A shard that hangs or has just died is reported as such; the bytes that it had read stay counted.
    const now = await child.link.call((shard) => shard.stats(), SCRAPE_DEADLINE_MS).catch(() => undefined);
    if (now && child === slot.supervised.child) slot.outputBytes.present = now.outputBytes;
    const { earlier, present } = slot.outputBytes;
    return { restarts: slot.restarts, outputBytes: earlier + present, now };
  }

  #beat(index: number): void {
    const slot = this.#slots[index];
    const client = slot?.supervised.child;
    client?.link
      .call((shard) => shard.ping(), HEARTBEAT_DEADLINE_MS)
      .then((outputBytes) => {
        if (client === slot?.supervised.child) slot.outputBytes.present = outputBytes;
      })
      .catch(async (reason: Error) => {
        // A shard that died meanwhile has been replaced already, and a stopped shard is not at fault.
        if (client !== slot?.supervised.child || slot.supervised.isStopped) return;
        this.#options.logger.error(
          { err: reason, shard: index },
          'a shard does not answer; it is terminated',
        );
        await client.terminate();
      });
  }

  /** Calls a shard and only logs a failure: if the shard dies, its successor gets the present state by `#rehome`. */
  #cast(slot: Slot, request: (shard: Remote) => Promise<void>, deadlineMs?: number): Promise<void> {
    return slot.supervised.child.link.call(request, deadlineMs).catch((err: Error) => {
      this.#options.logger.debug({ err }, 'a message to a shard was not confirmed');
    });
  }
}
