import { type EventFilter, wants } from '../../actors/event-log/event-filter.js';
import type { LoggedEvent } from '../../actors/event-log/logged-event.js';
import { EVENT_POSITION_EVERY, EVENT_SLICE_CHARS, EVENT_STALL_HEARTBEATS } from '../../contract/limits.js';
import type { EventPosition } from '../../contract/service-event.js';
import { eventFrame, HEARTBEAT, passingFrame, positionFrame } from './frame-text.js';

/** The log, as its clients read it. */
export interface EventSource {
  readonly epoch: string;
  /** Number of the last event that can be read. */
  readonly last: number;
  at(n: number): LoggedEvent | undefined;
  /** Returns, in words, why the events after this position cannot be sent; undefined if they can. */
  whyGone(position: EventPosition): string | undefined;
  onNews(listener: () => void): () => void;
  /** Calls `listener` with each event that is not kept, until the returned function is called. */
  onPassing(listener: (event: LoggedEvent) => void): () => void;
}

/** The connection of a client. */
interface EventSink {
  /** Returns false if nothing more should be written before {@link EventClient.drained} is called. */
  write(text: string): boolean;
  /** Characters or bytes that wait for the client. */
  readonly waiting: number;
  /** Breaks the connection off. */
  end(): void;
}

export interface EventClientOptions {
  source: EventSource;
  sink: EventSink;
  filter: EventFilter;
  instanceId: string;
}

/**
 * A client of the event stream. It reads the log at its own pace, so that only its socket queues anything for it. A
 * client that falls behind the kept events, or takes nothing at all, is disconnected: it knows its position.
 */
export class EventClient {
  readonly #options: EventClientOptions;
  #epoch: string;
  /** Number of the last event that was looked at. */
  #at: number;
  /** Number that the client has been sent last, with an event or as its position. */
  #told: number;
  #isBlocked = false;
  #waiting = 0;
  #stalled = 0;

  /** @param since - position of the client; undefined for a client that begins now */
  constructor(options: EventClientOptions, since: EventPosition | undefined) {
    this.#options = options;
    const { source } = options;
    const gone = since && source.whyGone(since);
    this.#epoch = source.epoch;
    this.#at = since && gone === undefined ? since.n : source.last;
    this.#told = this.#at;
    this.#ready();
    if (gone !== undefined) this.#resync(gone);
  }

  get filter(): EventFilter {
    return this.#options.filter;
  }

  /** Sends the events that the client has not been sent yet, until its socket is full. */
  pump(): void {
    const { source } = this.#options;
    if (this.#isBlocked) return;
    if (this.#epoch !== source.epoch) {
      this.#epoch = source.epoch;
      this.#at = 0;
      this.#resync('events could not be stored');
    }
    while (!this.#isBlocked && this.#at < source.last) {
      const slice = this.#slice();
      if (slice === undefined) {
        this.#options.sink.end();
        return;
      }
      if (slice !== '') this.#write(slice);
    }
  }

  /** Sends an event that is not kept, if the client has asked for its type and reads. */
  pass(event: LoggedEvent): void {
    const { filter } = this.#options;
    if (filter.types && !this.#isBlocked && wants(filter, event)) this.#write(passingFrame(event));
  }

  /** Continues to send. Call when the client has taken everything that waited for it. */
  drained(): void {
    this.#isBlocked = false;
    this.#stalled = 0;
    this.pump();
  }

  /**
   * Shows the client that the stream is alive, and sends its position if events have been left out since. Ends the
   * stream of a client that has taken nothing for EVENT_STALL_HEARTBEATS heartbeats.
   */
  heartbeat(): void {
    if (!this.#isBlocked) {
      this.#write(this.#told === this.#at ? HEARTBEAT : this.#position());
      return;
    }
    const { sink } = this.#options;
    this.#stalled = sink.waiting < this.#waiting ? 0 : this.#stalled + 1;
    this.#waiting = sink.waiting;
    if (this.#stalled >= EVENT_STALL_HEARTBEATS) sink.end();
  }

  /** Returns the frames of the next events; undefined if an event is no longer kept. */
  #slice(): string | undefined {
    const { source, filter } = this.#options;
    let text = '';
    while (this.#at < source.last && text.length < EVENT_SLICE_CHARS) {
      const event = source.at(this.#at + 1);
      if (!event) return undefined;
      this.#at++;
      if (wants(filter, event)) {
        text += eventFrame({ epoch: this.#epoch, n: this.#at }, event);
        this.#told = this.#at;
      } else if (this.#at - this.#told >= EVENT_POSITION_EVERY) {
        text += this.#position();
      }
    }
    return text;
  }

  #position(): string {
    this.#told = this.#at;
    return positionFrame({ epoch: this.#epoch, n: this.#at });
  }

  #ready(): void {
    const { source, instanceId } = this.#options;
    this.#tell('ready', { epoch: source.epoch, last: source.last, instanceId });
  }

  #resync(reason: string): void {
    this.#tell('resync', { reason });
  }

  /** Sends a message about the stream itself, which has no number of its own: its id is the client's position. */
  #tell(type: string, data: object): void {
    this.#told = this.#at;
    this.#write(eventFrame({ epoch: this.#epoch, n: this.#at }, { type, json: JSON.stringify(data) }));
  }

  #write(text: string): void {
    this.#isBlocked = !this.#options.sink.write(text);
    this.#waiting = this.#options.sink.waiting;
  }
}
