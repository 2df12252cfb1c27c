import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { z } from 'zod';
import { DomainError } from '../../contract/errors.js';
import { StreamQuery } from '../../contract/ws-messages.js';
import { needs } from '../access/needs.js';
import type { MachinesPort } from '../elsewhere.js';
import type { App } from '../validation.js';
import { serveClient } from '../ws/serve-client.js';
import type { RemoteMachines } from './remote-machines.js';
import { RemoteTypist } from './remote-typist.js';

export interface RemoteSocketOptions {
  remote: Pick<RemoteMachines, 'of'>;
  machines: MachinesPort;
  mode: () => string;
  logger: Logger;
}

export const REMOTE_SOCKET = '/api/machines/:machineId/ws';

const Params = z.object({ machineId: z.string() });

/** Screens in rows do not cross machines. */
const NO_SCREENS = { watch: () => undefined, resync: () => false, remove: () => undefined };

/** Serves `/api/machines/:machineId/ws`: the live stream of another machine's terminals, and input to them. */
export function registerRemoteSocket(
  app: App,
  { remote, machines, mode, logger }: RemoteSocketOptions,
): void {
  app.route({
    method: 'GET',
    url: REMOTE_SOCKET,
    // The grants of the other machine are for this machine, and not for each of its clients.
    config: needs('admin', 'whole'),
    schema: { hide: true, params: Params, querystring: StreamQuery },
    exposeHeadRoute: false,
    // Before the upgrade, so that a failure is answered like any other refusal.
    preHandler: async (request) => {
      const { terminals, events, activity, screens, output } = request.query as StreamQuery;
      remote.of((request.params as z.infer<typeof Params>).machineId);
      if (events === 'all' || activity === '1' || screens === '1' || output === '0')
        throw new DomainError('not-across');
      if (terminals === undefined) throw new DomainError('terminals-not-named');
    },
    handler: () => {
      throw new DomainError('upgrade-required');
    },
    wsHandler: (socket, { params, query, rights, raw }) => {
      const { fanOut, attached, output } = remote.of(params.machineId);
      const left = new AbortController();
      setMaxListeners(0, left.signal);
      socket.once('close', () => left.abort(new DomainError('client-gone')));
      const typist = new RemoteTypist(machines, params.machineId, left.signal);
      const parts = {
        ...{ fanOut, attached, rights, mode, logger, screens: NO_SCREENS, hasAll: false },
        // Only the owner knows whether a terminal exists.
        terminals: { get: () => undefined, list: () => output.list() },
        type: (input: Parameters<RemoteTypist['type']>[0]) => typist.type(input),
        leases: () => {
          throw new DomainError('not-across', 'The live stream of another machine gives no leases');
        },
        hasLeft: () => raw.socket.readableEnded,
      };
      serveClient(socket, query, parts);
    },
  });
}
