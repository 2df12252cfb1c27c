import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { onClosed } from './on-closed.js';

/** Slices that come as they are made; the signal fires when the client has left. */
type OpenStream = (signal: AbortSignal) => Promise<AsyncGenerator<Uint8Array, void, void>>;

/**
 * Answers with a stream of unknown length. The headers go out as soon as `open` has resolved; each slice is taken once
 * the kernel has the previous slice. A fault of `open` is thrown; a later fault breaks the connection, so that nobody
 * takes a part for the whole.
 */
export async function sendStream(reply: FastifyReply, open: OpenStream): Promise<void> {
  const { raw, log, request } = reply;
  const left = new AbortController();
  onClosed(raw, () => left.abort());
  // A broken connection emits this; its `close` ends the stream.
  raw.on('error', () => {});
  const slices = await open(left.signal);
  reply.hijack();
  raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
  raw.flushHeaders();
  try {
    for await (const slice of slices) {
      if (!raw.write(slice)) await once(raw, 'drain', { signal: left.signal });
    }
    raw.end();
  } catch (err) {
    if (!left.signal.aborted)
      log.info({ err, requestId: request.id }, 'a stream of output ended early; its connection is closed');
    raw.destroy();
  }
}
