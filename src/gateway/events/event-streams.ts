import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventFilter } from '../../actors/event-log/event-filter.js';
import { DomainError } from '../../contract/errors.js';
import { EVENT_HEARTBEAT_MS } from '../../contract/limits.js';
import type { EventPosition } from '../../contract/service-event.js';
import type { App } from '../validation.js';
import { EventClient, type EventSource } from './event-client.js';

export interface EventStreamsOptions {
  source: EventSource;
  instanceId: string;
  /** Called with whether any client wants the status of agents, each time that changes. */
  onAgentsFollowed: (isFollowed: boolean) => void;
  /** Called with the signs of terminals that clients follow, activity and bells, each time that changes. */
  onSignsFollowed: (signs: FollowedSigns) => void;
}

/** Reports of terminals that at least one client follows; shards make no others. */
export interface FollowedSigns {
  activity: boolean;
  bells: boolean;
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
  readonly #followed = { agents: false, activity: false, bells: false };
  #isClosing = false;

  constructor(app: App, options: EventStreamsOptions) {
    this.#options = options;
    // The server waits for its connections when it closes, and these answers have no end of their own.
    app.addHook('preClose', async () => {
      this.#isClosing = true;
      for (const { end } of [...this.#streams]) end();
    });
  }

  /**
   * Answers with the events after `since`, or with the events from now on, until the client leaves or the service
   * stops.
   */
  open(request: FastifyRequest, reply: FastifyReply, filter: EventFilter, since?: EventPosition): void {
    if (this.#isClosing) throw new DomainError('shutting-down');
    const { raw } = reply;
    reply.hijack();
    // A broken connection emits this; its `close` ends the stream.
    raw.on('error', () => {});
    reply.type('text/event-stream');
    raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
    // A client that has left already emits no further `close`.
    if (request.method === 'HEAD' || raw.destroyed) {
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
    const names = (type: string, byDefault: boolean) =>
      filters.some(({ types }) => types?.has(type) ?? byDefault);
    const agents = names('agent.status', true);
    const signs = { activity: names('terminal.activity', false), bells: names('terminal.bell', false) };
    const before = { ...this.#followed };
    Object.assign(this.#followed, { agents, ...signs });
    if (agents !== before.agents) this.#options.onAgentsFollowed(agents);
    if (signs.activity !== before.activity || signs.bells !== before.bells)
      this.#options.onSignsFollowed(signs);
  }
}
