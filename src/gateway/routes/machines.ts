import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../contract/errors.js';
import { SELF } from '../../contract/fleet.js';
import { needs } from '../access/needs.js';
import { keyIn, type MachinesPort } from '../elsewhere.js';
import type { LongPolls } from '../long-polls.js';
import type { App } from '../validation.js';

const PREFIX = '/api/machines/';

/**
 * Returns the URL under which a request is served. `/api/machines/self/...` is `/api/...` in every respect, upgrades
 * included.
 */
export function ownUrl(url: string): string {
  const own = `${PREFIX}${SELF}/`;
  return url.startsWith(own) ? `/api/${url.slice(own.length)}` : url;
}

/** `/api/machines/:machineId/...`: that machine's `/api/...`, as far as it has granted this. */
export function registerMachines(app: App, machines: MachinesPort, polls: LongPolls): void {
  const forward = (request: FastifyRequest, reply: FastifyReply) =>
    polls.hold(request, reply, async (signal) => {
      const { machineId } = request.params as { machineId: string };
      const { status, headers, body } = await machines.call(machineId, requestOf(request, machineId), signal);
      return reply.code(status).headers(headers).send(body);
    });
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: `${PREFIX}:machineId/*`,
    // What the other machine has granted, it has granted to this machine, and not to each of its clients.
    config: needs('admin', 'whole'),
    // The document describes these routes where they are served.
    schema: { hide: true },
    exposeHeadRoute: false,
    handler: forward,
  });
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
