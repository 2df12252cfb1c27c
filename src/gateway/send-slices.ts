import type { FastifyReply } from 'fastify';

/** What is sent; the bytes of one turn are valid up to the next. */
export type Slices = AsyncGenerator<Uint8Array, void, void>;

/**
 * Answers with slices as they are made, each asked for once the one before is with the kernel: a client that does
 * not read holds one of them, and their memory can be used again at once, where a stream's buffers would stay
 * resident until there are 64 MB of them. A fault before the first slice is thrown; a later one breaks the
 * connection, so that nobody takes a part for the whole.
 */
export async function sendSlices(reply: FastifyReply, slices: Slices): Promise<void> {
  let slice = await slices.next();
  const { raw, log } = reply;
  reply.hijack();
  const closed = new Promise<void>((resolve) => raw.once('close', resolve));
  // Of a connection that has broken; its close ends the loop.
  raw.on('error', () => {});
  try {
    raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
    while (!slice.done && !raw.destroyed) {
      const { value } = slice;
      await Promise.race([closed, new Promise<void>((resolve) => raw.write(value, () => resolve()))]);
      slice = await slices.next();
    }
    if (!raw.destroyed) raw.end();
  } catch (err) {
    log.error({ err, requestId: reply.request.id }, 'an answer was broken off');
    raw.destroy();
  } finally {
    await slices.return();
  }
}
