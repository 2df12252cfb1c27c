import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { guardedLookup, hostOf, isRefused, type Resolve, refusal } from './refused-addresses.js';

/** One request. */
interface Post {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

interface PostOptions {
  /** Time limit, from looking the name up to the status of the answer. */
  timeoutMs: number;
  /** Ends the attempt. */
  signal: AbortSignal;
  /** Looks names up; by default as the system does. */
  resolve?: Resolve | undefined;
}

/** How an attempt ended. */
export interface PostResult {
  /** Null if there was no answer. */
  status: number | null;
  /** Why there was no answer; null if there was. */
  error: string | null;
  ms: number;
}

/** Posts a message; another function in tests. Never rejects. */
export type Poster = (post: Post, options: PostOptions) => Promise<PostResult>;

/**
 * Posts a message over a connection of its own, and resolves with the status of the answer once the connection has ended:
 * a receiver that goes on with its answers would otherwise have any number of connections. Follows no redirect, and reads
 * and forgets the body of the answer for as long as the time limit allows. Never rejects.
 */
export const post: Poster = ({ url: text, headers, body }, { timeoutMs, signal, resolve }) => {
  const begun = performance.now();
  const url = new URL(text);
  const host = hostOf(url);
  return new Promise((answer) => {
    let result: PostResult | undefined;
    /** Notes the outcome; only the first one counts. */
    const note = (status: number | null, error: string | null) => {
      result ??= { status, error, ms: Math.round(performance.now() - begun) };
      return result;
    };
    // Sockets do not look up a host that is an IP address already.
    if (isRefused(host)) {
      answer(note(null, refusal(host).message));
      return;
    }
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const bytes = Buffer.from(body);
    const request = send(url, {
      ...{ method: 'POST', agent: false, lookup: guardedLookup(resolve) },
      headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
    });
    const stop = () => void request.destroy(new Error('the service or the webhook has stopped'));
    const timer = setTimeout(
      () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
    ).unref();
    signal.addEventListener('abort', stop, { once: true });
    request.once('response', (response) => {
      note(response.statusCode ?? null, null);
      // An answer that breaks off after its status line has delivered all that counts.
      response.on('error', () => {});
      response.resume();
    });
    // Without a listener Node would silently drop an answer such as 101, and its connection.
    request.once('upgrade', (response, socket) => {
      note(response.statusCode ?? null, null);
      socket.destroy();
    });
    request.once('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      // Without an outcome, there was neither an answer nor an error.
      answer(note(null, 'the connection ended without an answer'));
    });
    request.on('error', (error: Error) => note(null, textOf(error)));
    if (signal.aborted) stop();
    else request.end(bytes);
  });
};

/**
 * Returns the message of an error. An error of connections to several addresses has no message; the messages of its
 * parts are joined.
 */
function textOf(error: Error): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map((each: Error) => each.message).join('; ');
  return error.message;
}
