/** A request as it goes over the wire. */
export interface WireRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** The answer to a request, whose body may come piece by piece. */
export interface WireAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /**
   * Can be read once. Rejects with DisconnectedError if the connection breaks, and with the signal's reason. A caller
   * that does not read it to its end must call {@link WireAnswer.cancel}.
   */
  body: AsyncIterable<Uint8Array>;
  /** Closes the connection. */
  cancel(): void;
}

/** The way to the service. */
export interface Transport {
  /**
   * Resolves once the head of the answer is there. Rejects with NoServiceError if the request was not sent, with
   * DisconnectedError if it may have been received, and with the signal's reason.
   */
  send(request: WireRequest): Promise<WireAnswer>;
  /** Opens a WebSocket. Rejects as {@link send}, and with ApiError if the service refuses it. */
  connect(path: string, signal?: AbortSignal): Promise<WireSocket>;
  /** Allows any number of listeners on a signal; otherwise the platform warns of a leak. */
  allowManyListeners?(signal: AbortSignal): void;
  /** Closes kept connections. */
  close(): void;
}

/** An open WebSocket. */
export interface WireSocket {
  /** Queues a text message. */
  send(text: string): void;
  /**
   * The text messages, up to the end of the connection. Can be read once. Rejects with NotUnderstoodError if the
   * other side does not speak WebSocket.
   */
  messages: AsyncIterable<string>;
  /** The code with which the service has closed it (RFC 6455, section 7.4), once the messages have ended. */
  readonly closeCode: number | undefined;
  close(): void;
}
