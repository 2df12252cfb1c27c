import type { FastifyReply } from 'fastify';
import { DomainError } from '../contract/errors.js';
import { DOWNLOAD_STALL_MS, MAX_DOWNLOADS } from '../contract/limits.js';
import { onClosed } from './on-closed.js';

/** The slices to send; the bytes of a slice are valid until the next slice is requested. */
export type Slices = AsyncGenerator<Uint8Array, void, void>;

/** Streams answers: bounds their number, and the time that a client which does not read can hold an answer. */
export class Downloads {
  readonly #most: number;
  readonly #stallMs: number;
  #count = 0;

  /** @param stallMs - milliseconds without progress of the client after which a download is broken off */
  constructor(most = MAX_DOWNLOADS, stallMs = DOWNLOAD_STALL_MS) {
    this.#most = most;
    this.#stallMs = stallMs;
  }

  /**
   * Answers with the slices that `open` returns; `open` may set headers first. Rejects with `unavailable`, without
   * calling `open`, when too many downloads are in progress; otherwise with the error of `open` or of the first slice.
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
 * Sends slices as they are made, and requests each slice only once the kernel has the previous slice. So a client that
 * does not read holds one slice, and its memory can be reused at once, whereas a stream's buffers would stay resident
 * until there are 64 MB of them. A fault before the first slice is thrown; a later fault breaks the connection, so that
 * nobody takes a part for the whole.
 */
async function sendSlices(reply: FastifyReply, slices: Slices, stallMs: number): Promise<void> {
  let slice = await slices.next();
  const { raw, log } = reply;
  reply.hijack();
  let giveUp = () => {};
  const over = new Promise<void>((resolve) => {
    giveUp = resolve;
    onClosed(raw, resolve);
  });
  // A broken connection emits this; its `close` ends the loop.
  raw.on('error', () => {});
  const requestId = reply.request.id;
  let isSending = false;
  const stalled = setTimeout(() => {
    // The time to make a slice does not count against the client.
    if (!isSending) return;
    log.warn({ requestId }, 'a client did not read its download; the connection is closed');
    raw.destroy();
    // An answer behind other answers of its connection is not closed before these have been sent.
    giveUp();
  }, stallMs);
  const taken = async (send: (done: () => void) => void) => {
    isSending = true;
    stalled.refresh();
    await Promise.race([over, new Promise<void>(send)]);
    isSending = false;
  };
  try {
    raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
    // The first slices may take long to make.
    raw.flushHeaders();
    while (!slice.done && !raw.destroyed) {
      const { value } = slice;
      if (value.length > 0) await taken((done) => raw.write(value, () => done()));
      slice = await slices.next();
    }
    if (!raw.destroyed) {
      raw.end();
      // The socket may still buffer the end of the answer, so wait until the client has taken that, too.
      await taken((done) => raw.once('finish', done));
    }
  } catch (err) {
    log.error({ err, requestId }, 'an answer could not be completed; the connection is closed');
    raw.destroy();
  } finally {
    clearTimeout(stalled);
    await slices.return();
  }
}
