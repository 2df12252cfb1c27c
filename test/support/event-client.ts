import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { DEADLINE_MS } from './deadline.js';
import { within } from './service.js';

/** A message of an event stream, as a browser's `EventSource` would dispatch it. */
export interface StreamedEvent {
  id: string;
  type: string;
  data: {
    type: string;
    terminalId?: string;
    data: Record<string, unknown>;
    timestamp: string;
    /** This and the next fields belong to `ready` and `resync`. */
    epoch: string;
    last: number;
    instanceId: string;
    reason: string;
  };
}

export interface EventClientOptions {
  /** The text after the question mark. */
  query?: string;
  /** Sent as `Last-Event-ID`. */
  lastEventId?: string | undefined;
  headers?: Record<string, string>;
  onEvent?: (event: StreamedEvent) => void;
}

/** Parses an event stream as WHATWG's "interpreting an event stream" says, except that only `\n` ends a line. */
export class EventParser {
  /** The last event id; a frame without data changes it, too. */
  lastEventId = '';
  /** Number of comments. */
  comments = 0;
  readonly #dispatch: (event: StreamedEvent) => void;
  #rest = '';
  #id = '';
  #type = '';
  #data = '';

  constructor(dispatch: (event: StreamedEvent) => void) {
    this.#dispatch = dispatch;
  }

  take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === '') {
      this.lastEventId = this.#id;
      if (this.#data !== '')
        this.#dispatch({ id: this.#id, type: this.#type || 'message', data: JSON.parse(this.#data) });
      this.#type = '';
      this.#data = '';
      return;
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === '') this.comments++;
    if (name === 'id') this.#id = value;
    if (name === 'event') this.#type = value;
    if (name === 'data') this.#data += value;
  }
}

/** An open event stream. */
export class EventStream {
  readonly events: StreamedEvent[] = [];
  readonly response: IncomingMessage;
  readonly closed: Promise<void>;
  readonly #request: ClientRequest;
  readonly #parser: EventParser;
  readonly #waiting = new Set<() => void>();

  constructor(request: ClientRequest, response: IncomingMessage, onEvent?: (event: StreamedEvent) => void) {
    this.#request = request;
    this.response = response;
    this.#parser = new EventParser((event) => {
      this.events.push(event);
      onEvent?.(event);
    });
    response.setEncoding('utf8').on('data', (text: string) => {
      this.#parser.take(text);
      for (const wake of this.#waiting) wake();
    });
    response.on('error', () => undefined);
    this.closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
    this.closed.then(() => {
      for (const wake of this.#waiting) wake();
    });
  }

  /** Opens a stream; rejects with the status and the body of a refusal. */
  static async open(url: string, options: EventClientOptions = {}): Promise<EventStream> {
    const { query = '', lastEventId, onEvent } = options;
    const path = `/api/events${query === '' ? '' : `?${query}`}`;
    const headers = {
      ...options.headers,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const request = httpRequest(`${url}${path}`, { headers, agent: false });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // Node reports a connection that the test cuts as an error of the request.
    request.on('error', () => undefined);
    if (response.statusCode === 200) return new EventStream(request, response, onEvent);
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    throw new Error(`${response.statusCode} ${text}`);
  }

  get lastEventId(): string {
    return this.#parser.lastEventId;
  }

  get comments(): number {
    return this.#parser.comments;
  }

  /** Types of all events except `ready`, in order. */
  get types(): string[] {
    return this.events.map(({ type }) => type).filter((type) => type !== 'ready');
  }

  /** Events of one type. */
  of(type: string): StreamedEvent[] {
    return this.events.filter((event) => event.type === type);
  }

  /** Resolves once the condition holds; rejects if it does not by the deadline. */
  async until(condition: () => boolean): Promise<void> {
    let wake = () => {};
    const holds = new Promise<void>((resolve) => {
      wake = () => condition() && resolve();
    });
    this.#waiting.add(wake);
    wake();
    const last = () => `condition not met by ${JSON.stringify(this.events.slice(-5))}`;
    await within(DEADLINE_MS, holds, last).finally(() => this.#waiting.delete(wake));
  }

  /** Resolves with the first event of this type, and of this terminal if an id is passed. */
  async first(type: string, terminalId?: string): Promise<StreamedEvent> {
    const found = () =>
      this.of(type).find(({ data }) => terminalId === undefined || data.terminalId === terminalId);
    await this.until(() => found() !== undefined);
    return found()!;
  }

  /** Cuts the connection, and resolves once it is closed on this side. */
  async cut(): Promise<void> {
    this.#request.destroy();
    await this.closed;
  }
}
