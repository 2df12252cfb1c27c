import {
  FleetDone,
  FleetInitBody,
  FleetStatus,
  Invite,
  InviteBody,
  JoinBody,
  JoinedMachine,
  Joining,
  JoinRequestList,
} from '../../contract/fleet-machines.js';
import type { Consents } from '../../fleet/consents.js';
import type { HubDesk } from '../../fleet/hub-desk.js';
import type { Machines } from '../../fleet/machines.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams, MachineParams } from './params.js';

/** The fleet's administration, as the gateway calls it. */
export type FleetAdminPort = Pick<Machines, 'status' | 'init' | 'join' | 'leave'> & {
  consents: Pick<Consents, 'list' | 'decide'>;
  desk: Pick<HubDesk, 'invite' | 'requests' | 'approve' | 'deny' | 'remove'>;
};

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
          'machine or of an invitation. With the setting `fleet.url` the machines meet at that server instead, ' +
          'which others run, and nothing is started.',
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
          ...failures('in-fleet', 'invite-invalid', 'invite-refused', 'hub-unreachable', 'fleet-failed'),
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
    async ({ body }, reply) => reply.code(201).send(await fleet.desk.invite(body)),
  );

  app.get(
    '/api/fleet/requests',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'List what waits for a person',
        description:
          'At the hub, machines that ask to join; on each machine, what others want to do there and may only with approval.',
        tags,
        response: { 200: JoinRequestList, ...failures('no-fleet') },
      },
    },
    async () => ({ requests: fleet.desk.requests(), uses: fleet.consents.list() }),
  );

  app.post(
    '/api/fleet/requests/:id/approve',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Let a machine join, or do what it asks for',
        description: 'Before one joins, compare the words with those that it shows.',
        tags,
        params: IdParams,
        response: {
          200: JoinedMachine,
          ...failures('request-not-found', 'no-fleet', 'not-hub', 'fleet-failed'),
        },
      },
    },
    async ({ params }) => {
      const { machineId, deviceName } =
        fleet.consents.decide(params.id, 'approved') ?? (await fleet.desk.approve(params.id));
      return { machineId, deviceName };
    },
  );

  app.post(
    '/api/fleet/requests/:id/deny',
    {
      config: ADMINISTRATION,
      schema: {
        summary: 'Refuse a machine, or what it asks for',
        description: 'The invitation of one that asks to join can no longer be used.',
        tags,
        params: IdParams,
        response: { 200: FleetDone, ...failures('request-not-found', 'no-fleet', 'not-hub') },
      },
    },
    async ({ params }) => {
      if (!fleet.consents.decide(params.id, 'denied')) await fleet.desk.deny(params.id);
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
      await fleet.desk.remove(params.machineId);
      return done;
    },
  );
}
