import { EventStream, type StreamedEvent } from './event-client.js';
import type { RestartedService } from './restarted-service.js';

export interface ResumingClientOptions {
  service: RestartedService;
  query?: string;
  /**
   * Returns the number of events after which the client cuts its connection; if absent, only the service ends
   * connections.
   */
  cutAfter?: () => number;
}

/** A client of the event stream that resumes after each end of its connection, and keeps all events. */
export class ResumingClient {
  /** All events except `ready` and `resync`. */
  readonly events: StreamedEvent[] = [];
  resyncs = 0;
  /** How often the client has cut its connection. */
  cuts = 0;
  lastEventId: string | undefined;
  readonly #options: ResumingClientOptions;
  #stream: EventStream | undefined;
  #isDone = false;
  #following: Promise<void>;
  #waiting: { until: () => boolean; resolve: () => void } | undefined;

  constructor(options: ResumingClientOptions) {
    this.#options = options;
    this.#following = this.#follow();
  }

  /** Resolves once the condition holds. */
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    const held = new Promise<void>((resolve) => {
      this.#waiting = { until: condition, resolve };
    });
    await Promise.race([
      held,
      this.#following.then(() => {
        throw new Error('the client has ended');
      }),
    ]);
  }

  async stop(): Promise<void> {
    this.#isDone = true;
    await this.#stream?.cut();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { service, query = '', cutAfter } = this.#options;
    while (!this.#isDone) {
      let left = cutAfter?.() ?? Number.POSITIVE_INFINITY;
      const onEvent = (event: StreamedEvent) => {
        this.#take(event);
        if (--left === 0) {
          this.cuts++;
          queueMicrotask(() => void this.#stream?.cut());
        }
      };
      const { lastEventId } = this;
      this.#stream = await service.once(({ url }) => EventStream.open(url, { query, lastEventId, onEvent }));
      await this.#stream.closed;
      // Only complete messages change the id, messages without data included.
      if (this.#stream.lastEventId !== '') this.lastEventId = this.#stream.lastEventId;
    }
  }

  #take(event: StreamedEvent): void {
    if (event.type === 'resync') this.resyncs++;
    else if (event.type !== 'ready') this.events.push(event);
    if (!this.#waiting?.until()) return;
    this.#waiting.resolve();
    this.#waiting = undefined;
  }
}
