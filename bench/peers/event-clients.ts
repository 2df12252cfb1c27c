// Clients of the event stream, in a process of their own, so that reading for many of them delays nothing else.
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { monotonicMs } from '../support/monotonic.js';
import { NumberedEvents } from '../support/numbered-events.js';
import { answerCalls } from '../support/peer-calls.js';

interface Client {
  request: ClientRequest;
  events: NumberedEvents;
}

let clients: Client[] = [];
let onRead = () => {};
/** First error in the events of a client, if any. */
let failure: Error | undefined;

const calls = {
  /** Connects the clients to `/api/events`. Resolves when each has got its `ready`. */
  async open(url: string, count: number): Promise<void> {
    failure = undefined;
    clients = await Promise.all(Array.from({ length: count }, () => connect(url)));
    await until(() => clients.every(({ events }) => events.isReady));
  },

  /**
   * Resolves once each client has got `count` events, with each client's time of arrival of the last of these events.
   * Rejects if a client has missed an event or got an event twice.
   */
  async got(count: number): Promise<number[]> {
    await until(() => clients.every(({ events }) => events.times.length >= count));
    return clients.map(({ events }) => events.times[count - 1]!);
  },

  async close(): Promise<void> {
    for (const { request } of clients) request.destroy();
    await Promise.all(clients.map(({ request }) => request.closed || once(request, 'close')));
    clients = [];
  },
};

async function connect(url: string): Promise<Client> {
  const request = httpRequest(`${url}/api/events?types=terminal.updated`, { agent: false });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // Closing the client makes its request fail.
  request.on('error', () => {});
  if (response.statusCode !== 200) throw new Error(`the event stream answered ${response.statusCode}`);
  const events = new NumberedEvents();
  response.setEncoding('utf8').on('data', (text: string) => {
    try {
      events.take(text, monotonicMs());
    } catch (error) {
      failure ??= error as Error;
    }
    onRead();
  });
  response.on('error', () => {});
  return { request, events };
}

/** Resolves once the condition holds. Rejects once a client has failed. */
async function until(condition: () => boolean): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    onRead = () => {
      if (failure) reject(failure);
      else if (condition()) resolve();
    };
    onRead();
  }).finally(() => {
    onRead = () => {};
  });
}

export type EventClientsCalls = typeof calls;
answerCalls(calls);
