import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../contract/errors.js';
import { EVENT_HEARTBEAT_MS } from '../../contract/limits.js';
import type { EventPosition } from '../../contract/service-event.js';
import type { App } from '../validation.js';
import { EventClient, type EventSource } from './event-client.js';
import type { EventFilter } from './event-filter.js';

export interface EventStreamsOptions {
  source: EventSource;
  instanceId: string;
  /** Called with whether any client wants the status of agents, each time that changes. */
  onAgentsFollowed: (isFollowed: boolean) => void;
  /** Called with whether any client wants to know that terminals print, each time that changes. */
  onActivityFollowed: (isFollowed: boolean) => void;
}

interface Stream {
  client: EventClient;
  /** Ends the answer, at once if its client does not read. */
  end(): void;
}

/** The answers that are streams of events. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #streams = new Set<Stream>();
  readonly #followed = { agents: false, activity: false };
  #isClosing = false;

  constructor(app: App, options: EventStreamsOptions) {
    this.#options = options;
    // The server waits for its connections when it closes, and these answers have no end of their own.
    app.addHook('preClose', async () => {
      this.#isClosing = true;
      for (const { end } of [...this.#streams]) end();
    });
  }

  /** Answers with the events after `since`, or with those from now on, until the client leaves or the service stops. */
  open(request: FastifyRequest, reply: FastifyReply, filter: EventFilter, since?: EventPosition): void {
    if (this.#isClosing) throw new DomainError('shutting-down');
    const { raw } = reply;
    reply.hijack();
    // A broken connection emits this; its `close` ends the stream.
    raw.on('error', () => {});
    reply.type('text/event-stream');
    raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
    if (request.method === 'HEAD') {
      raw.end();
      return;
    }
    const { source, instanceId } = this.#options;
    const sink = {
      write: (text: string) => raw.write(text),
      get waiting() {
        return raw.writableLength;
      },
      end: () => void raw.destroy(),
    };
    const client = new EventClient({ source, sink, filter, instanceId }, since);
    const end = () => void (raw.writableNeedDrain ? raw.destroy() : raw.end());
    const stream = { client, end };
    const ignoreNews = source.onNews(() => client.pump());
    const ignorePassing = source.onPassing((event) => client.pass(event));
    const heartbeat = setInterval(() => client.heartbeat(), EVENT_HEARTBEAT_MS);
    raw.on('drain', () => client.drained());
    raw.once('close', () => {
      clearInterval(heartbeat);
      ignoreNews();
      ignorePassing();
      this.#streams.delete(stream);
      this.#updateFollowed();
    });
    this.#streams.add(stream);
    this.#updateFollowed();
    client.pump();
  }

  #updateFollowed(): void {
    const filters = [...this.#streams].map(({ client }) => client.filter);
    const agents = filters.some(({ types }) => types?.has('agent.status') ?? true);
    const activity = filters.some(({ types }) => types?.has('terminal.activity') ?? false);
    const before = { ...this.#followed };
    Object.assign(this.#followed, { agents, activity });
    if (agents !== before.agents) this.#options.onAgentsFollowed(agents);
    if (activity !== before.activity) this.#options.onActivityFollowed(activity);
  }
}
