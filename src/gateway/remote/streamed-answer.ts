import type { FastifyReply } from 'fastify';
import { DomainError, ERRORS, type ErrorCode } from '../../contract/errors.js';
import { ANSWER, StreamedHead } from '../../fleet/streams/answer-wire.js';
import type { FollowEnd } from '../../fleet/streams/followed-stream.js';
import { saidBy } from '../../fleet/streams/stream-wire.js';
import type { StreamsOut } from '../../fleet/streams/streams-out.js';
import { passedHeaders } from '../passed-headers.js';

/**
 * Passes on another machine's answer to a GET, as it comes and as fast as the client reads. Resolves once the
 * answer is over. An answer that breaks off there breaks off here, so that nobody takes a part for the whole. Rejects as
 * {@link StreamsOut.open} does, and with fleet-outcome-unknown if the stream is lost before the head has come.
 *
 * @param signal - fires when the client has gone
 */
export async function sendStreamed(
  reply: FastifyReply,
  streams: Pick<StreamsOut, 'open'>,
  { machineId, url }: { machineId: string; url: string },
  signal: AbortSignal,
): Promise<void> {
  const { raw } = reply;
  let held = 0;
  let finish = () => {};
  let fail: (error: unknown) => void = () => {};
  const over = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  // It may fail before it is waited for.
  over.catch(() => undefined);
  const write = (bytes: Uint8Array) => {
    held += bytes.length;
    stream?.hold(held);
    raw.write(bytes, () => {
      held -= bytes.length;
      stream?.hold(held);
    });
  };
  const begin = (bytes: Uint8Array) => {
    const head = saidBy(StreamedHead, Buffer.from(bytes));
    if (!head || raw.headersSent) return onEnd('lost');
    reply.hijack();
    // A broken connection emits this; its `close` ends the stream.
    raw.on('error', () => {});
    raw.writeHead(head.status, {
      ...(reply.getHeaders() as Record<string, string>),
      ...passedHeaders(head.headers),
    });
    raw.flushHeaders();
  };
  const onMessage = (kind: number, bytes: Uint8Array) => {
    if (kind === ANSWER.head) begin(bytes);
    else if (kind === ANSWER.body && raw.headersSent) write(bytes);
    else if (kind === ANSWER.end) raw.end(() => finish());
    else onEnd('lost');
  };
  const onEnd = (end: FollowEnd) => {
    if (raw.headersSent) {
      raw.destroy();
      finish();
    } else fail(errorOf(end));
  };
  const stream = await streams.open(machineId, url, { onMessage, onEnd }, signal);
  const left = () => {
    stream.close();
    finish();
  };
  signal.addEventListener('abort', left, { once: true });
  try {
    await over;
    signal.throwIfAborted();
  } catch (error) {
    // The client of a hijacked answer has gone: nobody is left to be answered.
    if (!raw.headersSent) throw error;
    raw.destroy();
  } finally {
    signal.removeEventListener('abort', left);
    stream.close();
  }
}

function errorOf(end: FollowEnd): DomainError {
  if (end === 'lost') return new DomainError('fleet-outcome-unknown');
  const { code, error, needs } = end;
  const known = code in ERRORS ? (code as ErrorCode) : 'fleet-refused';
  return new DomainError(known, error, { ...(needs !== undefined && { details: { needs } }) });
}
