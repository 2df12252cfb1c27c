import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, type ErrorCode } from '../contract/errors.js';
import { OVERSIZE_DRAIN_MS, RETRY_AFTER_S } from '../contract/limits.js';
import { SECURITY_HEADERS } from './answer-headers.js';

/** The body of a failure, to which an error may add fields. */
export interface WireBody {
  error: string;
  /** Key of the catalogue. */
  code: string;
  /** How the client can fix the failure. */
  fix?: string;
  /** Milliseconds after which the same request may succeed, if they are known. */
  retryAfterMs?: number;
}

/** The part of a fault that the client sees. */
export interface WireError {
  status: number;
  body: WireBody;
}

/** Codes of the catalogue for faults of the request itself, by Fastify's codes and then by status. */
const CLIENT_FAULTS: Readonly<Record<string | number, ErrorCode>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid-json',
  400: 'bad-request',
  404: 'not-found',
  405: 'method-not-allowed',
  408: 'request-timeout',
  413: 'body-too-large',
  415: 'not-json',
  431: 'headers-too-large',
};

/** Maps faults of the request itself, as Fastify and its plugins report them; undefined for all other errors. */
function clientFault(error: unknown): WireError | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  const { statusCode: status } = error;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  const name = 'code' in error ? String(error.code) : '';
  const code = CLIENT_FAULTS[name] ?? CLIENT_FAULTS[status] ?? 'bad-request';
  return { status, body: { ...bodyOf(new DomainError(code)), error: error.message } };
}

/** Returns `{error, code, fix?}` and any further fields of the error. */
export function bodyOf({ message, code, fix, details }: DomainError): WireBody {
  return { ...details, error: message, code, ...(fix !== undefined && { fix }) };
}

/** Maps a fault to status and body, for the whole gateway. An error that is not in the catalogue reveals nothing. */
export function toWireError(error: unknown): WireError {
  const named = error instanceof DomainError ? error : undefined;
  if (named) return { status: named.status, body: bodyOf(named) };
  return clientFault(error) ?? toWireError(new DomainError('internal'));
}

/** Reads and discards the remaining body, until its end or the deadline. */
function drain(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, OVERSIZE_DRAIN_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', done).once('close', done).resume();
  });
}

/**
 * Log levels of the faults that are logged, by status. A 501 is not logged, since it reports a permanent limitation.
 */
const LEVELS: Readonly<Record<number, 'error' | 'warn'>> = { 500: 'error', 503: 'warn' };

/** Logs a fault that the client did not cause; `around` adds the context to the log line. */
export function logFault(log: FastifyBaseLogger, error: unknown, around: Record<string, string>): void {
  const { status, body } = toWireError(error);
  const level = LEVELS[status];
  if (level) log[level]({ err: error, ...around }, body.error);
}

/**
 * Returns whether the same request may succeed a little later. It may not if its outcome is unknown, since a repetition
 * could then do the same thing twice.
 */
function mayTryAgain({ status, body }: WireError): boolean {
  if (body.retryAfterMs !== undefined) return true;
  return (status === 429 || status === 503) && body.code !== ('outcome-unknown' satisfies ErrorCode);
}

function retryAfterS({ retryAfterMs }: WireBody): number {
  return retryAfterMs === undefined ? RETRY_AFTER_S : Math.ceil(retryAfterMs / 1_000);
}

/** Fastify's error handler: answers `{error, code}`, and logs faults of the service with the request's id. */
export async function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const wire = toWireError(error);
  const { status, body } = wire;
  logFault(request.log, error, { requestId: request.id });
  // Many clients read no answer before they have sent their whole body, and see a broken pipe if the connection closes earlier.
  if (status === 413) await drain(request.raw);
  closeAfterUpgrade(request, reply);
  if (mayTryAgain(wire) && !reply.hasHeader('retry-after')) reply.header('retry-after', retryAfterS(body));
  await reply.header('x-request-id', request.id).code(status).send(body);
}

/**
 * Closes the connection of a refused upgrade request. Node stops parsing a connection after an upgrade request, so
 * nothing else would close it. The answer says so: a client that kept the connection would lose its next request.
 */
export function closeAfterUpgrade(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.upgrade === undefined) return;
  reply.header('connection', 'close');
  reply.raw
    .once('finish', () => request.raw.socket.destroySoon())
    .once('close', () => request.raw.socket.destroy());
}

/** Codes of the catalogue for input that never became a request, by Node's codes. */
const BROKEN_HTTP: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
  HPE_HEADER_OVERFLOW: 'headers-too-large',
};

/** Answers input that never became a request: broken HTTP, headers too large, or a request that never ended. */
export function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, body } = toWireError(new DomainError(BROKEN_HTTP[error.code ?? ''] ?? 'bad-request'));
  const text = JSON.stringify(body);
  const headers = {
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': text.length,
    ...SECURITY_HEADERS,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (socket.writable)
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
  socket.destroy(error);
}

/**
 * Resolves with `fallback` if the terminal is unknown, for routes that answer 200 in that case. Every other fault goes
 * to the error handler.
 */
export async function orIfUnknown<Answer, Fallback>(
  ask: () => Promise<Answer>,
  fallback: Fallback,
): Promise<Answer | Fallback> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'terminal-not-found') return fallback;
    throw error;
  }
}
