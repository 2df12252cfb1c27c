import type { FastifyReply } from 'fastify';
import { DomainError } from '../contract/errors.js';
import { DOWNLOAD_STALL_MS, MAX_DOWNLOADS } from '../contract/limits.js';

/** What is sent; the bytes of one turn are valid up to the next. */
export type Slices = AsyncGenerator<Uint8Array, void, void>;

/** Answers that are streamed: bounded in number, and none of them held for ever by a client that does not read. */
export class Downloads {
  readonly #most: number;
  readonly #stallMs: number;
  #count = 0;

  /** @param stallMs - a download of which nothing is taken for this long is broken off */
  constructor(most = MAX_DOWNLOADS, stallMs = DOWNLOAD_STALL_MS) {
    this.#most = most;
    this.#stallMs = stallMs;
  }

  /**
   * Answers with what `open` gives, which may set headers before. Rejects with `unavailable`, and opens nothing,
   * where there are too many already; with what `open` or the first slice throws, otherwise.
   */
  async send(reply: FastifyReply, open: () => Promise<Slices>): Promise<void> {
    if (this.#count >= this.#most) throw new DomainError('unavailable');
    this.#count++;
    try {
      await sendSlices(reply, await open(), this.#stallMs);
    } finally {
      this.#count--;
    }
  }
}

/**
 * Answers with slices as they are made, each asked for once the one before is with the kernel: a client that does
 * not read holds one of them, and their memory can be used again at once, where a stream's buffers would stay
 * resident until there are 64 MB of them. A fault before the first slice is thrown; a later one breaks the
 * connection, so that nobody takes a part for the whole.
 */
async function sendSlices(reply: FastifyReply, slices: Slices, stallMs: number): Promise<void> {
  let slice = await slices.next();
  const { raw, log } = reply;
  reply.hijack();
  const closed = new Promise<void>((resolve) => raw.once('close', resolve));
  // Of a connection that has broken; its close ends the loop.
  raw.on('error', () => {});
  const requestId = reply.request.id;
  const stalled = setTimeout(() => {
    log.warn({ requestId }, 'a download was not read and is broken off');
    raw.destroy();
  }, stallMs);
  try {
    raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
    while (!slice.done && !raw.destroyed) {
      const { value } = slice;
      await Promise.race([closed, new Promise<void>((resolve) => raw.write(value, () => resolve()))]);
      stalled.refresh();
      slice = await slices.next();
      // Making it was not the client's time.
      stalled.refresh();
    }
    if (!raw.destroyed) {
      raw.end();
      // The rest may still be with the socket, which is held until the client has taken it.
      await Promise.race([closed, new Promise<void>((resolve) => raw.once('finish', resolve))]);
    }
  } catch (err) {
    log.error({ err, requestId }, 'an answer was broken off');
    raw.destroy();
  } finally {
    clearTimeout(stalled);
    await slices.return();
  }
}
