import { z } from 'zod';
import type { OutputStreams } from '../../actors/output-streams.js';
import { DomainError } from '../../contract/errors.js';
import { MAX_OUTPUT_STREAMS } from '../../contract/limits.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import { sendStream } from '../send-stream.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

const TYPE = 'application/octet-stream';

const StreamQuery = z.object({
  from: z
    .enum(['start', 'now'])
    .default('now')
    .describe('`start` begins with the first byte of the terminal, `now` with the next'),
});

const DESCRIPTION = `All bytes of the terminal exactly, escape sequences included. The answer ends once the program has exited and all
its output is sent. If output is missed, or the terminal is closed, the connection breaks instead: an answer that ends is
whole.

A reader may be 4 MiB behind; a reader that falls back further is cut off. The first reader from the start of a terminal
that was created with \`hold: true\` is never cut off: the program waits for it, as for the reader of a pipe.

\`from=start\` of another terminal works while its history (about 256 KiB) holds its first byte, and is a 410 after that.`;

/** `/api/terminals/:id/stream`: the raw output of a terminal as it comes. */
export function registerStream(app: App, streams: Pick<OutputStreams, 'open'>): void {
  let count = 0;

  app.get(
    '/api/terminals/:id/stream',
    {
      config: needs('read', 'terminal'),
      // A HEAD would take the output that is held for the first reader, and end only with the program.
      exposeHeadRoute: false,
      schema: {
        summary: 'Stream the raw output of a terminal',
        description: DESCRIPTION,
        tags: ['Input and output'],
        params: IdParams,
        querystring: StreamQuery,
        response: {
          200: {
            description: 'The output, as it comes',
            content: { [TYPE]: { schema: z.string().meta({ format: 'binary' }) } },
          },
          ...failures('terminal-not-found', 'output-gone'),
        },
      },
    },
    async ({ params: { id }, query: { from } }, reply) => {
      if (count >= MAX_OUTPUT_STREAMS) throw new DomainError('unavailable');
      count++;
      try {
        reply.header('content-type', TYPE);
        await sendStream(reply, (signal) => streams.open(id, from, signal));
      } finally {
        count--;
      }
    },
  );
}
