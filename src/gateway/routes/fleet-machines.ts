import {
  FleetDone,
  FleetInitBody,
  FleetStatus,
  Grant,
  GrantBody,
  GrantList,
  Invite,
  InviteBody,
  JoinBody,
  JoinedMachine,
  Joining,
  JoinRequestList,
} from '../../contract/fleet-machines.js';
import type { Machines } from '../../fleet/machines.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams, MachineParams } from './params.js';

/** The fleet's administration, as the gateway calls it. */
export type FleetAdminPort = Pick<
  Machines,
  | 'status'
  | 'init'
  | 'invite'
  | 'join'
  | 'leave'
  | 'requests'
  | 'approve'
  | 'deny'
  | 'remove'
  | 'grants'
  | 'grant'
  | 'revoke'
>;

const tags = ['Fleet'];
const done = { status: 'ok' } as const;
const ADMINISTRATION = needs('admin', 'whole');

/** `/api/fleet`, administration: which machines are in the fleet, and what they may do here. Never for other machines. */
export function registerFleetMachines(app: App, fleet: FleetAdminPort): void {
  app.get(
    '/api/fleet/status',
    {
      config: needs('read', 'whole'),
      schema: { summary: "Get this machine's place in a fleet", tags, response: { 200: FleetStatus } },
    },
    async () => fleet.status(),
  );

  app.post(
    '/api/fleet/init',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Make this machine the hub of a new fleet',
        description:
          'Makes a key and a certificate, and starts `nats-server`, which must be installed, as a process of its ' +
          'own on the port `fleet.port`. Every connection to it is encrypted and logs in with the key of a ' +
          'machine or of an invitation.',
        tags,
        body: FleetInitBody,
        response: { 200: FleetStatus, ...failures('in-fleet', 'no-nats-server', 'fleet-failed') },
      },
    },
    ({ body }) => fleet.init(body),
  );

  app.post(
    '/api/fleet/join',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Join a fleet with an invitation',
        description:
          'Answers once both machines show the same four words. Somebody at the hub compares them and confirms; ' +
          '`GET /api/fleet/status` says what comes of it.',
        tags,
        body: JoinBody,
        response: {
          202: Joining,
          ...failures('in-fleet', 'invite-invalid', 'invite-refused', 'hub-unreachable'),
        },
      },
    },
    async ({ body }, reply) => reply.code(202).send(await fleet.join(body.code)),
  );

  app.post(
    '/api/fleet/leave',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Leave the fleet',
        description:
          'Also gives up joining one. A hub ends its fleet. All grants of this machine are deleted.',
        tags,
        response: { 200: FleetDone, ...failures('no-fleet') },
      },
    },
    async () => {
      await fleet.leave();
      return done;
    },
  );

  registerAtHub(app, fleet);
  registerGrants(app, fleet);
}

function registerAtHub(app: App, fleet: FleetAdminPort): void {
  app.post(
    '/api/fleet/invites',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Invite a machine',
        description:
          'The code holds the address of the hub, a secret and the fingerprint of its certificate. One machine can ' +
          'join with it, within ten minutes and five tries.',
        tags,
        body: InviteBody,
        response: { 201: Invite, ...failures('no-fleet', 'not-hub', 'too-many-invites', 'fleet-failed') },
      },
    },
    async ({ body }, reply) => reply.code(201).send(await fleet.invite(body)),
  );

  app.get(
    '/api/fleet/requests',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'List the machines that ask to join',
        tags,
        response: { 200: JoinRequestList, ...failures('no-fleet', 'not-hub') },
      },
    },
    async () => ({ requests: fleet.requests() }),
  );

  app.post(
    '/api/fleet/requests/:id/approve',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Let a machine join',
        description: 'Compare the words with those that the other machine shows first.',
        tags,
        params: IdParams,
        response: {
          200: JoinedMachine,
          ...failures('request-not-found', 'no-fleet', 'not-hub', 'fleet-failed'),
        },
      },
    },
    async ({ params }) => {
      const { machineId, deviceName } = await fleet.approve(params.id);
      return { machineId, deviceName };
    },
  );

  app.post(
    '/api/fleet/requests/:id/deny',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Refuse a machine',
        description: 'Its invitation can no longer be used.',
        tags,
        params: IdParams,
        response: { 200: FleetDone, ...failures('request-not-found', 'no-fleet', 'not-hub') },
      },
    },
    async ({ params }) => {
      await fleet.deny(params.id);
      return done;
    },
  );

  app.delete(
    '/api/fleet/machines/:machineId',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Remove a machine from the fleet',
        description: 'It loses its connection at once, and all that it was granted here.',
        tags,
        params: MachineParams,
        response: { 200: FleetDone, ...failures('machine-not-found', 'no-fleet', 'not-hub', 'fleet-failed') },
      },
    },
    async ({ params }) => {
      await fleet.remove(params.machineId);
      return done;
    },
  );
}

function registerGrants(app: App, fleet: FleetAdminPort): void {
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
