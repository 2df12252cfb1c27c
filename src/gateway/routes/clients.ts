import { z } from 'zod';
import type { Attached } from '../../actors/attached/attached.js';
import { Ok } from '../../contract/answers.js';
import { AttachedClient } from '../../contract/attach.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

/** The clients that are attached to terminals. Throws terminal-not-found, client-not-found. */
export type ClientsPort = Pick<Attached, 'list' | 'detach' | 'detachAll'>;

const ClientParams = IdParams.extend({ clientId: z.string() });

const DETACHED =
  'The client gets the event `client.detached` with the reason `api`; its connection stays open. After ' +
  'the last client has left, the terminal gets back the size that was set over the API.';

/** `/api/terminals/:id/clients`: lists and detaches the clients that are attached to a terminal. */
export function registerClients(app: App, clients: ClientsPort): void {
  const tags = ['Terminals'];

  app.get(
    '/api/terminals/:id/clients',
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'List the clients that are attached to a terminal',
        description:
          'Clients attach over the WebSocket, by the action `terminal:attach`. They are listed in the order ' +
          'in which they attached.',
        tags,
        params: IdParams,
        response: {
          200: z.object({ clients: z.array(AttachedClient) }),
          ...failures('terminal-not-found'),
        },
      },
    },
    async ({ params }) => ({ clients: clients.list(params.id) }),
  );

  app.delete(
    '/api/terminals/:id/clients',
    {
      config: needs('control', 'terminal'),
      schema: {
        summary: 'Detach all clients of a terminal',
        description: DETACHED,
        tags,
        params: IdParams,
        response: {
          200: Ok.extend({ detached: z.int().describe('Number of clients that were detached') }),
          ...failures('terminal-not-found'),
        },
      },
    },
    async ({ params }) => ({
      status: 'ok' as const,
      detached: await clients.detachAll(params.id, 'api'),
    }),
  );

  app.delete(
    '/api/terminals/:id/clients/:clientId',
    {
      config: needs('control', 'terminal'),
      schema: {
        summary: 'Detach a client from a terminal',
        description: DETACHED,
        tags,
        params: ClientParams,
        response: { 200: Ok, ...failures('terminal-not-found', 'client-not-found') },
      },
    },
    async ({ params: { id, clientId } }) => {
      await clients.detach(id, clientId, 'api');
      return { status: 'ok' as const };
    },
  );
}
