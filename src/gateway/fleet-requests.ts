import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_IDEMPOTENCY_KEY_CHARS } from '../contract/limits.js';
import { sha256 } from '../fleet/signed.js';
import { passedHeaders } from './passed-headers.js';
import type { App } from './validation.js';

/**
 * Address of requests that this service runs for another machine. They come by no connection: only `inject` can give
 * them such an address, since that of a real connection is an IP address.
 */
const ADDRESS = 'fleet';

/** Returns the machine that a request was run for; undefined for requests of this machine's own clients. */
export function machineOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string | undefined {
  const [root, machineId] = remoteAddress?.split(' ') ?? [];
  return root === ADDRESS ? machineId : undefined;
}

/** A request of another machine, whose right to it was checked. */
interface CheckedRequest {
  method: string;
  url: string;
  key?: string | undefined;
  /** JSON. */
  body?: string | undefined;
}

/** An answer for another machine. */
interface RunAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Takes the body of a streamed answer, piece by piece. */
export interface AnswerSink {
  /** Returns false if no more should come before {@link AnswerSink.onDrain} is called. */
  write(bytes: Uint8Array, done: () => void): boolean;
  onDrain: () => void;
}

/** A streamed answer whose head has come. */
export interface StreamedAnswer {
  status: number;
  headers: Record<string, string>;
  /** Resolves once the last piece was written, with whether the answer is whole. */
  ended: Promise<boolean>;
}

interface Running {
  signal: AbortSignal;
  sink?: AnswerSink;
  onEnd?: (isWhole: boolean) => void;
}

/** Runs requests of other machines by the same routes as every other request, with the origin `fleet`. */
export class FleetRequests {
  readonly #app: App;
  readonly #running = new Map<string, Running>();
  #count = 0;

  /** @param app - on which no request was served yet */
  constructor(app: App) {
    this.#app = app;
    app.addHook('onRequest', async (request, reply) => {
      const { remoteAddress = '' } = request.raw.socket;
      const end = () => reply.raw.destroy();
      const { signal, sink, onEnd } = this.#running.get(remoteAddress) ?? {};
      if (signal?.aborted) end();
      signal?.addEventListener('abort', end, { once: true });
      if (sink && onEnd) divert(reply.raw, sink, onEnd);
    });
  }

  /** Runs a request. To the route, an abort of `signal` is the disconnect of its client; the promise then rejects. */
  async run(
    machineId: string,
    { method, url, key, body }: CheckedRequest,
    signal: AbortSignal,
  ): Promise<RunAnswer> {
    const remoteAddress = `${ADDRESS} ${machineId} ${++this.#count}`;
    this.#running.set(remoteAddress, { signal });
    try {
      const answer = await this.#app.inject({
        ...{ method: method as 'GET', url, remoteAddress },
        headers: {
          host: 'localhost',
          ...(key !== undefined && { 'idempotency-key': keyOf(machineId, key) }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: body }),
      });
      return { status: answer.statusCode, headers: passedHeaders(answer.headers), body: answer.rawPayload };
    } finally {
      this.#running.delete(remoteAddress);
    }
  }

  /** Runs a GET, and passes its body on as it comes. An abort of `signal` breaks the answer off. */
  async stream(
    machineId: string,
    url: string,
    sink: AnswerSink,
    signal: AbortSignal,
  ): Promise<StreamedAnswer> {
    const remoteAddress = `${ADDRESS} ${machineId} ${++this.#count}`;
    const ended = new Promise<boolean>((resolve) => {
      this.#running.set(remoteAddress, { signal, sink, onEnd: resolve });
    });
    void ended.then(() => this.#running.delete(remoteAddress));
    const headers = { host: 'localhost' };
    const options = { method: 'GET', url, remoteAddress, headers, payloadAsStream: true } as const;
    const answer = await this.#app.inject(options);
    return { status: answer.statusCode, headers: passedHeaders(answer.headers), ended };
  }
}

/** Makes a response write straight into the sink, at its pace: a stream in between would only buffer. */
function divert(raw: ServerResponse, sink: AnswerSink, onEnd: (isWhole: boolean) => void): void {
  raw.write = (chunk: Uint8Array | string, encoding?: unknown, callback?: unknown) => {
    const done = [encoding, callback].find((each) => typeof each === 'function') as (() => void) | undefined;
    return sink.write(Buffer.from(chunk as string), () => done?.());
  };
  sink.onDrain = () => void raw.emit('drain');
  raw.once('finish', () => onEnd(true));
  raw.once('close', () => onEnd(false));
}

/** Returns the key here of a key of another machine: keys of different machines are different keys. */
function keyOf(machineId: string, key: string): string {
  const whole = `${machineId}/${key}`;
  if (whole.length <= MAX_IDEMPOTENCY_KEY_CHARS) return whole;
  return `${machineId}/sha256:${sha256(key)}`;
}
