import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DomainError } from '../../contract/errors.js';
import { SELF } from '../../contract/fleet.js';
import { isStreamed } from '../../fleet/streams/stream-routes.js';
import { needs } from '../access/needs.js';
import { keyIn } from '../elsewhere.js';
import { IdempotencyHeaders } from '../idempotency.js';
import type { LongPolls } from '../long-polls.js';
import { passedHeaders } from '../passed-headers.js';
import type { StreamingMachines } from '../remote/remote-machines.js';
import { sendStreamed } from '../remote/streamed-answer.js';
import type { App } from '../validation.js';

const PREFIX = '/api/machines/';

/** Checks the key as the other machine does. Only that machine stores the key and its answer. */
const KeyHeaders = z.looseObject(IdempotencyHeaders.shape);

/**
 * Returns the URL under which a request is served. `/api/machines/self/...` is `/api/...` in every respect, upgrades
 * included.
 */
export function ownUrl(url: string): string {
  const own = `${PREFIX}${SELF}/`;
  return url.startsWith(own) ? `/api/${url.slice(own.length)}` : url;
}

/** `/api/machines/:machineId/...`: that machine's `/api/...`, as far as it has granted this. */
export function registerMachines(app: App, machines: StreamingMachines, polls: LongPolls): void {
  const forward = (request: FastifyRequest, reply: FastifyReply) =>
    polls.hold(request, reply, async (signal) => {
      const { machineId } = request.params as { machineId: string };
      const sent = requestOf(request, machineId);
      if (isStreamed(sent.method, sent.url)) {
        const url = resumedUrl(sent.url, request.headers['last-event-id']);
        return sendStreamed(reply, machines.streams, { machineId, url }, signal);
      }
      const { status, headers, body } = await machines.call(machineId, sent, signal);
      return reply.code(status).headers(passedHeaders(headers)).send(body);
    });
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: `${PREFIX}:machineId/*`,
    // The grants of the other machine are for this machine, and not for each of its clients.
    config: needs('admin', 'whole'),
    // The document describes these routes where they are served.
    schema: { hide: true, headers: KeyHeaders },
    exposeHeadRoute: false,
    handler: forward,
  });
}

/** Returns the URL that resumes a stream of events at its client's position; any other URL as it is. */
function resumedUrl(url: string, lastEventId: string | string[] | undefined): string {
  const [path = '', text = ''] = url.split('?');
  if (path !== '/api/events' || typeof lastEventId !== 'string') return url;
  const query = new URLSearchParams(text);
  query.set('since', lastEventId);
  return `${path}?${query}`;
}

function requestOf({ method, url, headers, body }: FastifyRequest, machineId: string) {
  const path = url.slice(PREFIX.length + machineId.length);
  // An id that the router has decoded is none of ours.
  if (!url.startsWith(`${PREFIX}${machineId}/`)) throw new DomainError('machine-not-found');
  return {
    ...{ method, url: `/api${path}` },
    ...keyIn({ headers }),
    ...(body !== undefined && body !== null && { body: JSON.stringify(body) }),
  };
}
