import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Audit } from '../../actors/audit/audit.js';
import { AuditCheck, type AuditQuery } from '../../contract/audit.js';
import { AUDIT_STALL_MS, MAX_AUDIT_STREAMS, MAX_LABEL_CHARS } from '../../contract/limits.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { LongPolls } from '../long-polls.js';
import { Downloads, type Slices } from '../send-slices.js';
import type { App } from '../validation.js';
import { Count } from './params.js';

const DESCRIPTION = `The lines of the audit log, oldest first, as NDJSON: one AuditEntry a line, as it is on the disk. The log is kept while the
setting \`audit.enabled\` is on; see [audit](docs/audit.md) for what its lines say and do not say.

With \`follow=true\` the answer goes on with each new line.`;

const word = z.string().max(MAX_LABEL_CHARS).optional();

const Query = z.object({
  after: Count.optional().describe('Only lines with a greater number'),
  since: Count.optional().describe('Epoch milliseconds, inclusive'),
  until: Count.optional().describe('Epoch milliseconds, inclusive'),
  terminal: word.describe('Only lines about this terminal'),
  action: word.describe('Only actions that begin so, such as `type` or `DELETE`'),
  by: word.describe('Kind or name of who did it, or the terminal that it runs in'),
  follow: z.enum(['true', 'false']).default('false').describe('Whether to go on with new lines'),
});

const FLEET_DESCRIPTION = `The lines of the audit log about requests of other machines of the fleet, refused ones included, as
\`GET /api/audit\` has them. The log is this machine's, and kept while the setting \`audit.enabled\` is on.`;

const { by: _by, ...filters } = Query.shape;
const FleetQuery = z.object({
  ...filters,
  machine: word.default('*').describe('Only lines of the machine with this id'),
});

const lines = {
  200: { description: 'The lines', content: { 'application/x-ndjson': { schema: z.string() } } },
  ...failures('unavailable'),
};

/** `GET /api/audit` and `GET /api/audit/verify`: what clients have done. */
export function registerAudit(app: App, audit: Pick<Audit, 'lines' | 'verify'>, polls: LongPolls): void {
  const downloads = new Downloads(MAX_AUDIT_STREAMS, AUDIT_STALL_MS);
  const tags = ['Audit'];
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    { follow, ...query }: AuditQuery & { follow: string },
  ) =>
    polls.hold(request, reply, (signal) =>
      downloads.send(reply, async () => {
        reply.type('application/x-ndjson');
        const isHead = request.method === 'HEAD';
        return isHead ? nothing() : slicesOf(audit, query, follow === 'true' ? signal : undefined);
      }),
    );
  app.get(
    '/api/audit',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Read what clients have done (NDJSON)',
        description: DESCRIPTION,
        tags,
        querystring: Query,
        response: lines,
      },
    },
    async (request, reply) => {
      await send(request, reply, request.query);
    },
  );

  app.get(
    '/api/fleet/audit',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Read what other machines have done here (NDJSON)',
        description: FLEET_DESCRIPTION,
        tags: ['Fleet'],
        querystring: FleetQuery,
        response: lines,
      },
    },
    async (request, reply) => {
      await send(request, reply, request.query);
    },
  );

  app.get(
    '/api/audit/verify',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Check that the audit log is whole',
        description:
          'Reads all of it, and checks that each line has the number and the hash that follow from the line before. ' +
          'That lines were removed from the end cannot be seen: compare `last` with what you know.',
        tags,
        response: { 200: AuditCheck },
      },
    },
    () => audit.verify(),
  );
}

async function* slicesOf(
  audit: Pick<Audit, 'lines'>,
  query: AuditQuery,
  following: AbortSignal | undefined,
): Slices {
  // The client learns at once that the stream is open.
  yield new Uint8Array(0);
  for await (const line of audit.lines(query, following)) yield Buffer.from(`${line}\n`);
}

async function* nothing(): Slices {}
