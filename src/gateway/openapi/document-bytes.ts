import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Made {
  bytes: Buffer;
  etag: string;
}

/** A JSON document that never changes while the service runs: made and serialized once, and sent with its ETag. */
export class DocumentBytes {
  readonly #document: () => Promise<unknown>;
  #made: Promise<Made> | undefined;

  /** @param document - returns the document; called once, at the first request */
  constructor(document: () => Promise<unknown>) {
    this.#document = document;
  }

  /** Answers 200 with the document, or 304 to a client that has it already. */
  async send(request: Pick<FastifyRequest, 'headers'>, reply: FastifyReply): Promise<FastifyReply> {
    this.#made ??= this.#document().then(make);
    const { bytes, etag } = await this.#made;
    reply.headers({ etag, 'cache-control': 'no-cache' });
    if (hasIt(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(bytes);
  }
}

function make(document: unknown): Made {
  const bytes = Buffer.from(JSON.stringify(document));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

/** Compares weakly, as RFC 9110 specifies for If-None-Match. */
function hasIt(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const given = ifNoneMatch.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return given.includes('*') || given.includes(etag);
}
