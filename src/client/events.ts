import { NotUnderstoodError } from './errors.js';
import { linesOf } from './lines.js';
import { mayReconnect } from './may-reconnect.js';
import { objectOf } from './refusal.js';
import type { Requests } from './requests.js';

/** Something that has happened in the service. */
export interface ServiceEvent {
  /** Pass it as `since` to continue after this event. */
  id: string;
  /** Such as `terminal.created`; the documentation of `GET /api/events` lists the types and their `data`. */
  type: string;
  terminalId?: string;
  data: Record<string, unknown>;
  /** RFC 3339. */
  timestamp: string;
}

/** Events may be missing here: read the present state anew. */
export interface Reset {
  type: 'reset';
  id: string;
  reason: string;
}

export interface EventsOptions {
  /** Id of the last event that is known; without it, the stream begins now. */
  since?: string | undefined;
  /** Such as `agent.status`, or `agent.*` for all types that begin so. */
  types?: readonly string[] | undefined;
  terminals?: readonly string[] | undefined;
  /** Labels that the terminal of an event must have, such as `role=test,repo=api`. */
  selector?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Called once the service has accepted the stream: from then on no event is missed. */
  onReady?: ((id: string) => void) | undefined;
}

/** Pause before the next try to connect. */
const RECONNECT_MS = 500;

/**
 * Follows the events of the service. Reconnects after a broken connection, and continues after the last event. Ends by
 * the signal, whose reason it throws, or when the loop that reads it ends. Throws the error of the first connection,
 * and ApiError if the service refuses a later one.
 */
export async function* followEvents(
  requests: Requests,
  { since, types, terminals, selector, signal, onReady }: EventsOptions = {},
): AsyncGenerator<ServiceEvent | Reset> {
  const filter = { types: types?.join(), terminals: terminals?.join(), selector };
  let position = since;
  let isFirst = true;
  for (;;) {
    let isReady = false;
    try {
      const query = { ...filter, since: position };
      for await (const message of messagesOf(requests.pieces('GET', '/api/events', { query, signal }))) {
        position = message.id || position;
        if (message.event === 'ready') {
          isReady = true;
          if (isFirst) onReady?.(message.id);
          isFirst = false;
        } else if (message.event === 'resync') {
          yield { type: 'reset', id: message.id, reason: objectOf<{ reason: string }>(message.data).reason };
        } else if (message.data !== '') {
          yield { id: message.id, ...objectOf<Omit<ServiceEvent, 'id'>>(message.data) };
        }
      }
      // Another program would be asked again and again.
      if (!isReady) throw new NotUnderstoodError('no stream of events');
    } catch (error) {
      signal?.throwIfAborted();
      if (isFirst || !mayReconnect(error)) throw error;
    }
    await requests.pause(RECONNECT_MS, signal);
  }
}

interface Message {
  id: string;
  event: string;
  data: string;
}

/** Yields the messages of an event stream, including messages that only move the id; comments are dropped. */
async function* messagesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Message> {
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    if (line === '') {
      yield { id, event, data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    // With `s`, since a text may hold characters that end a line for JavaScript alone, such as U+2028.
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
}
