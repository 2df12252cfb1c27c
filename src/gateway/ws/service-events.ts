import type { EngineEvent } from '../../actors/events.js';
import { ACTIVITY_BELOW_BYTES } from '../../contract/limits.js';
import type { KeptEvent, PassingEvent } from '../../contract/service-event.js';
import { type ActivityEvent, eventFrame } from '../../contract/ws-messages.js';
import type { FollowedSigns } from '../events/event-streams.js';
import type { StreamClient } from './stream-client.js';

/**
 * Kinds of events: each event of a kind includes everything that earlier events of the same kind and terminal reported.
 */
const REPLACING: Readonly<Record<string, string>> = {
  'terminal.resized': 'resized',
  'agent.status': 'agent',
  'terminal.title': 'title',
};

/**
 * Sends clients the events that the log gets, as they happen: every event, in the order of the log, to the clients that
 * take all, and the number of bytes that terminals print to the clients that follow activity.
 */
export class ServiceEvents {
  readonly #takers = new Set<StreamClient>();
  readonly #followers = new Set<StreamClient>();
  /** Signs that others than these clients follow. */
  others: FollowedSigns = { activity: false, bells: false };
  /** Bytes that terminals have printed in this turn of the event loop. */
  #printed: Map<string, number> | undefined;

  add(client: StreamClient): void {
    if (client.subscription.everything) this.#takers.add(client);
    if (client.subscription.activity) this.#followers.add(client);
  }

  remove(client: StreamClient): void {
    this.#takers.delete(client);
    this.#followers.delete(client);
  }

  /** Signs that shards must report. */
  get signs(): Partial<FollowedSigns> {
    const activity = this.others.activity || this.#followers.size > 0;
    const bells = this.others.bells || this.#takers.size > 0;
    return { ...(activity && { activity }), ...(bells && { bells }) };
  }

  tell(event: KeptEvent | PassingEvent): void {
    if (event.type === 'terminal.activity') {
      this.#print(event.terminalId, event.data.bytes);
      return;
    }
    if (this.#takers.size === 0) return;
    const message = eventFrame(event);
    for (const client of this.#takers) {
      if (event.terminalId !== undefined) client.event(event.terminalId, message, REPLACING[event.type]);
      else if (client.live && !client.subscription.sees) client.queue.push(message);
    }
  }

  /** Returns the clients that get a lifecycle event directly, of `clients` and of the clients that take every event. */
  recipients(event: EngineEvent, clients: Iterable<StreamClient>): Set<StreamClient> {
    const recipients = new Set(clients);
    // The log has no attachments. All other events reach these clients from the log, and so in its order.
    const isLogged = event.type !== 'attached' && event.type !== 'detached';
    for (const client of this.#takers) {
      if (isLogged) recipients.delete(client);
      else recipients.add(client);
    }
    return recipients;
  }

  /** Notes printed bytes. A shard reports all of its terminals in one turn, so a turn becomes one message. */
  #print(id: string, bytes: number): void {
    if (this.#followers.size === 0) return;
    if (!this.#printed) {
      this.#printed = new Map();
      setImmediate(() => this.#sendPrinted());
    }
    this.#printed.set(id, (this.#printed.get(id) ?? 0) + bytes);
  }

  #sendPrinted(): void {
    const terminals = [...(this.#printed ?? [])];
    this.#printed = undefined;
    const messageOf = (printed: typeof terminals) =>
      eventFrame({ type: 'terminal.activity', data: { terminals: printed } } satisfies ActivityEvent);
    const message = messageOf(terminals);
    for (const client of this.#followers) {
      if (!client.live || client.queue.queued >= ACTIVITY_BELOW_BYTES) continue;
      const seen = client.subscription.sees ? terminals.filter(([id]) => client.sees(id)) : terminals;
      if (seen.length > 0) client.queue.push(seen === terminals ? message : messageOf(seen));
    }
  }
}
