import { FleetDone, Grant, GrantBody, GrantList, RightList } from '../../contract/fleet-machines.js';
import type { Machines } from '../../fleet/machines.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

/** The grants of other machines here, as the gateway reads and changes them. */
export type GrantsPort = Pick<Machines, 'grants' | 'grant' | 'revoke' | 'grantsOf'>;

const tags = ['Fleet'];
const done = { status: 'ok' } as const;
const ADMINISTRATION = needs('admin', 'whole');

/** `/api/fleet/grants` and `/api/fleet/rights`: what other machines may do here. */
export function registerFleetGrants(app: App, fleet: GrantsPort): void {
  app.get(
    '/api/fleet/grants',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'List what other machines may do here',
        tags,
        response: { 200: GrantList, ...failures('no-fleet') },
      },
    },
    async () => ({ grants: fleet.grants() }),
  );

  app.get(
    '/api/fleet/rights',
    {
      config: needs('read', 'none'),
      schema: {
        summary: 'Get what another machine may do here',
        description: 'Asked by that machine. To a client of this machine itself it answers an empty list.',
        tags,
        response: { 200: RightList },
      },
    },
    async ({ fromMachine }) => ({
      rights: fromMachine === undefined ? [] : fleet.grantsOf(fromMachine).map(rightOf),
    }),
  );

  app.post(
    '/api/fleet/grants',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Let another machine do something here',
        description:
          'The rights hold for requests from then on, are kept here, and are checked here for each request. ' +
          '`type`, `execute` and `create` have programs run with all that your user may do.',
        tags,
        body: GrantBody,
        response: { 201: Grant, ...failures('machine-not-found', 'no-fleet', 'too-many-grants') },
      },
    },
    async ({ body }, reply) => reply.code(201).send(await fleet.grant(body)),
  );

  app.delete(
    '/api/fleet/grants/:id',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Take rights back',
        description: 'Requests that they no longer allow end at once.',
        tags,
        params: IdParams,
        response: { 200: FleetDone, ...failures('grant-not-found', 'no-fleet') },
      },
    },
    async ({ params }) => {
      await fleet.revoke(params.id);
      return done;
    },
  );
}

function rightOf({ can, terminals, until, ask }: Grant): RightList['rights'][number] {
  return { can, terminals, until, ask };
}
