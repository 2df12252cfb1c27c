import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_PIPELINED_ANSWER_BYTES, MAX_PIPELINED_REQUESTS } from '../contract/limits.js';

type Exchange = [IncomingMessage, ServerResponse];

/**
 * Bounds the cost of a client that sends requests without waiting for their answers. Node hands each request to its
 * listeners as soon as it is parsed, however many requests of the same connection are unanswered. With this, a
 * connection has a few requests in progress, further requests wait, and the socket is not read while any request waits,
 * so that TCP holds the client back. Call it once the server's own listeners are registered.
 *
 * @returns whether requests of a connection wait for their answers
 */
export function boundPipelines(server: Server): (socket: Socket) => boolean {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const pipelines = new WeakMap<Socket, Pipeline>();
  const handle = (exchange: Exchange) => {
    for (const listener of listeners) listener.call(server, ...exchange);
  };
  server.on('request', (request, response) => {
    const pipeline = pipelines.get(request.socket) ?? new Pipeline(request.socket, handle);
    pipelines.set(request.socket, pipeline);
    pipeline.take([request, response]);
  });
  return (socket) => pipelines.get(socket)?.isBusy ?? false;
}

/** The requests of one connection. */
class Pipeline {
  readonly #socket: Socket;
  readonly #handle: (exchange: Exchange) => void;
  readonly #unanswered = new Set<ServerResponse>();
  /** Waiting requests: at most the requests of one read (64 KiB), since the socket is not read while any waits. */
  readonly #waiting: Exchange[] = [];
  #isScheduled = false;

  constructor(socket: Socket, handle: (exchange: Exchange) => void) {
    this.#socket = socket;
    this.#handle = handle;
    socket.once('close', () => this.#left());
  }

  get isBusy(): boolean {
    return this.#unanswered.size > 0 || this.#waiting.length > 0;
  }

  take(exchange: Exchange): void {
    if (this.#waiting.length === 0 && this.#hasRoom()) this.#start(exchange);
    else if (this.#waiting.push(exchange) === 1) stopReading(this.#socket);
  }

  #hasRoom(): boolean {
    if (this.#unanswered.size >= MAX_PIPELINED_REQUESTS) return false;
    let bytes = 0;
    for (const { writableLength } of this.#unanswered) bytes += writableLength;
    return bytes < MAX_PIPELINED_ANSWER_BYTES;
  }

  #start(exchange: Exchange): void {
    const [, response] = exchange;
    this.#unanswered.add(response);
    // Emitted once the kernel has the whole answer, or when the connection breaks.
    response.once('close', () => {
      this.#unanswered.delete(response);
      this.#schedule();
    });
    this.#handle(exchange);
  }

  /**
   * Closes the responses that still wait for earlier responses. Node closes only the response at the head of the
   * connection, so the work of all others would go on for a client that has left.
   */
  #left(): void {
    for (const response of [...this.#unanswered]) {
      if (response.socket) continue;
      response.destroy();
      // Later versions of Node emit it themselves, in the next tick.
      setImmediate(() => response.closed || response.emit('close'));
    }
  }

  /** Continues in a later turn of the event loop: a client that fills its pipeline and reads would block all others. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#socket.destroyed) this.#waiting.length = 0;
      while (this.#waiting.length > 0 && this.#hasRoom()) this.#start(this.#waiting.shift() as Exchange);
      if (this.#waiting.length === 0) readOn(this.#socket);
    });
  }
}

/**
 * Stops reading. Other calls of `resume`, such as Node's for each body that has been read, do nothing until
 * {@link readOn}.
 */
function stopReading(socket: Socket): void {
  const ignore = () => {};
  // Node's parser reads from the handle, past the stream and its pause, until the stream gets a data listener.
  socket.on('data', ignore).off('data', ignore);
  socket.pause();
  socket.resume = () => socket;
}

function readOn(socket: Socket): void {
  Reflect.deleteProperty(socket, 'resume');
  socket.resume();
}
