import type { Claimant } from '../../actors/input-gate/ask.js';
import { newLeaseId } from '../../actors/input-gate/lease-slot.js';
import { Ok } from '../../contract/answers.js';
import { EndLeaseQuery, Lease, LeaseBody, LeaseState, RenewBody } from '../../contract/input-gate.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import { lockFailures } from '../gate-failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import type { LongPolls } from '../long-polls.js';
import type { App } from '../validation.js';
import type { Writers } from '../writers.js';
import { IdParams } from './params.js';

/** The leases, as the gateway takes and reads them. All methods throw terminal-not-found. */
interface LeasesPort {
  /** Rejects with locked, and the reason of the signal. */
  lease(id: string, asked: LeaseBody & { leaseId: string }, claimant: Claimant): Promise<Lease>;
  /** Throws lease-lost. */
  renew(id: string, leaseId: string, ttlMs: number): Lease;
  /** Throws lease-lost. */
  release(id: string, leaseId: string): void;
  state(id: string): LeaseState;
}

export interface LeaseOptions {
  leases: LeasesPort;
  writers: Writers;
  polls: LongPolls;
  keys: IdempotencyKeys;
}

const DESCRIPTION =
  'While a program has the lease, no other program types into the terminal: its requests are answered 423, or wait in ' +
  'line with `whenBusy: "queue"`. The holder sends `leaseId` as `lease` in requests that type. A person at the keys ' +
  'always gets through, and ends the lease: the event `input.changed` says so, and later writes under the lease are ' +
  'answered 423 `lease-lost`. A lease is given once nothing of others is on its way into the terminal: first come, ' +
  'first served. It ends by itself after `ttlMs`, with its terminal, and with the service. It guards against ' +
  'accidents: a program of the same user can take it over.';

const PATH = '/api/terminals/:id/lease';

/** `/api/terminals/:id/lease`: the right to type that one program has for a time. */
export function registerLease(app: App, { leases, writers, polls, keys }: LeaseOptions): void {
  const tags = ['Input and output'];
  const params = IdParams;

  app.post(
    PATH,
    {
      config: needs('type', 'terminal'),
      schema: {
        summary: 'Take the lease of a terminal',
        description: DESCRIPTION,
        tags,
        params,
        headers: IdempotencyHeaders,
        body: LeaseBody,
        response: { 201: Lease, ...failures('terminal-not-found', 'key-reused'), ...lockFailures },
      },
    },
    async (request, reply) => {
      if (request.body.takeover) request.rights.require('takeover');
      const take = async (signal: AbortSignal) => {
        const { plan } = await keys.begin(request, () => ({ leaseId: newLeaseId() }));
        const who = () => writers.who(request);
        const lease = await leases.lease(request.params.id, { ...request.body, ...plan }, { who, signal });
        reply.code(201);
        return lease;
      };
      return polls.hold(request, reply, take, { everybodyLeft: keys.everybodyLeft(request) });
    },
  );

  app.put(
    PATH,
    {
      config: needs('type', 'terminal'),
      schema: {
        summary: 'Renew a lease',
        tags,
        params,
        body: RenewBody,
        response: { 200: Lease, ...failures('terminal-not-found'), ...lockFailures },
      },
    },
    async ({ params: { id }, body: { leaseId, ttlMs } }) => leases.renew(id, leaseId, ttlMs),
  );

  app.get(
    PATH,
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Get who may type into a terminal, and who waits',
        tags,
        params,
        response: { 200: LeaseState, ...failures('terminal-not-found') },
      },
    },
    async ({ params: { id } }) => leases.state(id),
  );

  app.delete(
    PATH,
    {
      config: needs('type', 'terminal'),
      schema: {
        summary: 'End a lease',
        tags,
        params,
        querystring: EndLeaseQuery,
        response: { 200: Ok, ...failures('terminal-not-found'), ...lockFailures },
      },
    },
    async ({ params: { id }, query: { leaseId } }) => {
      leases.release(id, leaseId);
      return { status: 'ok' as const };
    },
  );
}
