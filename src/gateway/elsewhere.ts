import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DomainError, ERRORS, type ErrorCode } from '../contract/errors.js';
import type { Machine } from '../contract/fleet.js';
import { Right } from '../contract/fleet-machines.js';
import { jsonIn } from '../fleet/answers.js';
import { ErrorBody } from './failures.js';
import { passedHeaders } from './passed-headers.js';

/** The other machines of the fleet, as the gateway calls them. */
export interface MachinesPort {
  /** Rejects with peering-not-installed, machine-not-found, machine-unreachable, and with the signal's reason. */
  call(
    machineId: string,
    request: { method: string; url: string; key?: string | undefined; body?: string | undefined },
    client: AbortSignal,
  ): Promise<{ status: number; headers: Record<string, string>; body: Buffer }>;
}

const REFUSED: ErrorCode[] = ['not-granted', 'fleet-refused'];
const LOST: ErrorCode[] = ['machine-unreachable', 'fleet-outcome-unknown', 'unavailable'];

const textOf = (codes: readonly ErrorCode[]) =>
  codes.map((code) => `${ERRORS[code].message} (\`${code}\`)`).join('; or ');

/** The failures of a route whose request may go to another machine. */
export const elsewhereFailures = {
  403: z
    .object({ ...ErrorBody.shape, needs: Right.optional().describe('The right that is missing') })
    .meta({ description: textOf(REFUSED), codes: REFUSED }),
  503: z
    .object({
      ...ErrorBody.shape,
      lastSeenAt: z.number().nullable().optional().describe('When the machine was heard of'),
      key: z
        .string()
        .optional()
        .describe('With `fleet-outcome-unknown`: the Idempotency-Key by which it can be repeated safely'),
    })
    .meta({ description: textOf(LOST), codes: LOST }),
};

/** Returns the Idempotency-Key of a request, to be sent on. */
export function keyIn({ headers }: Pick<FastifyRequest, 'headers'>): { key?: string } {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? { key } : {};
}

/**
 * Sends a request of `/api/fleet/...` on to the machine that it names, and answers as that machine does, with the id and the
 * name by which it is known here. Rejects with verb-missing for a token without `admin`.
 */
export async function sendElsewhere(
  { machines, fleet }: { machines: MachinesPort; fleet: { machines(): Machine[] } },
  [request, reply]: [FastifyRequest, FastifyReply],
  machineId: string,
  signal: AbortSignal,
): Promise<never> {
  // The grants of the other machine are for this machine, and not for each of its clients.
  request.rights.require('admin');
  const { machineId: _id, targetOS: _os, ...body } = request.body as Record<string, unknown>;
  const { url = '' } = request.routeOptions;
  const sent = { method: 'POST', url, body: JSON.stringify(body), ...keyIn(request) };
  const answer = await machines.call(machineId, sent, signal);
  const content = jsonIn(answer) as Record<string, unknown> | undefined;
  if (typeof content !== 'object' || content === null) throw new DomainError('fleet-protocol');
  if (answer.status !== 200) {
    // Its type is that of what is written here.
    const { 'content-type': _type, ...headers } = passedHeaders(answer.headers);
    return reply.code(answer.status).headers(headers).send(content) as never;
  }
  const { deviceName = machineId } = fleet.machines().find((each) => each.machineId === machineId) ?? {};
  const named = { ...content, machineId, ...('deviceName' in content && { deviceName }) };
  return reply.code(answer.status).send(named) as never;
}
