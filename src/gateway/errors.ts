import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../contract/errors.js';
import { OVERSIZE_DRAIN_MS } from '../contract/limits.js';

/** What a client gets to see of a fault. */
export interface WireError {
  status: number;
  message: string;
  /** What the body says beside the message. */
  details?: Record<string, unknown>;
}

/** Faults of the request itself, as Fastify and its plugins report them. */
function clientFault(error: unknown): WireError | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined;
  return { status: statusCode, message: error.message };
}

/** The one place that turns a fault into status and text; anything without a name tells nothing. */
export function toWireError(error: unknown): WireError {
  if (error instanceof DomainError) {
    return { status: error.status, message: error.message, details: error.details };
  }
  return clientFault(error) ?? { status: 500, message: 'Internal error' };
}

/** Reads on and drops what comes, until the body's end or the deadline. */
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

/** Faults that are worth a line in the log, by status. A 501 is none: what it says has always been so. */
const LEVELS: Readonly<Record<number, 'error' | 'warn'>> = { 500: 'error', 503: 'warn' };

/** Writes what was not the client's doing into the log; `around` says where it was. */
export function logFault(log: FastifyBaseLogger, error: unknown, around: Record<string, string>): void {
  const { status, message } = toWireError(error);
  const level = LEVELS[status];
  if (level) log[level]({ err: error, ...around }, message);
}

/** Fastify's error handler: answers `{error}`; what was our fault goes to the log with the request's id. */
export async function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { status, message, details } = toWireError(error);
  logFault(request.log, error, { requestId: request.id });
  // Many clients read no answer before they have sent their whole body; closed on, they see a broken pipe.
  if (status === 413) await drain(request.raw);
  closeAfterUpgrade(request, reply);
  await reply
    .header('x-request-id', request.id)
    .code(status)
    .send({ ...details, error: message });
}

/** After an upgrade request Node parses the connection no further: where it was refused, nobody else would close it. */
export function closeAfterUpgrade(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.upgrade !== undefined)
    reply.raw
      .once('finish', () => request.raw.socket.destroySoon())
      .once('close', () => request.raw.socket.destroy());
}

/** Answers what never became a request: broken HTTP, too large headers, a request that never ended. */
export function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const statuses: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
  const status = statuses[error.code ?? ''] ?? 400;
  const body = JSON.stringify({ error: STATUS_CODES[status] });
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
        `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  }
  socket.destroy(error);
}

/**
 * Some routes answer an unknown terminal in a 200 (SPEC.md, Errors): `fallback` is that answer. Every other
 * fault goes on to the error handler.
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
