import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import websocket from '@fastify/websocket';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { CLOSE_GRACE_MS, MAX_WS_MESSAGE_BYTES } from '../../contract/limits.js';
import type { StreamQuery } from '../../contract/ws-messages.js';
import { needs } from '../access/needs.js';
import { streamSchema } from '../openapi/stream.js';
import { originOf } from '../origin.js';
import type { TerminalsPort } from '../ports.js';
import { REMOTE_SOCKET, type RemoteSocketOptions, registerRemoteSocket } from '../remote/remote-socket.js';
import type { App } from '../validation.js';
import type { Writers } from '../writers.js';
import { ClientLeases, type LeasesPort } from './client-leases.js';
import type { AttachedPort, CommandContext } from './commands.js';
import type { FanOut } from './fan-out.js';
import type { ScreenViews } from './screen-views.js';
import { serveClient } from './serve-client.js';

const PATHS = ['/ws', '/api/ws'];
const ALL_PATHS = [...PATHS, REMOTE_SOCKET];

const GOING_AWAY = 1001;
const SERVICE_RESTART = 1012;

export interface WebSocketOptions {
  terminals: CommandContext['terminals'] & Pick<TerminalsPort, 'type'>;
  attached: AttachedPort;
  fanOut: FanOut;
  screens: ScreenViews;
  writers: Pick<Writers, 'ask' | 'who'>;
  leases: LeasesPort;
  /** Terminals of other machines. */
  remote: RemoteSocketOptions['remote'];
  machines: RemoteSocketOptions['machines'];
  /** The welcome frame's `mode`. */
  mode: () => string;
  logger: Logger;
}

/** Serves `/ws` and `/api/ws`: the live stream and the input channel, also of other machines. */
export function registerWebSocket(app: App, options: WebSocketOptions): void {
  app.register(websocket, {
    options: { maxPayload: MAX_WS_MESSAGE_BYTES, perMessageDeflate: false },
    // A broken frame is the client's fault, and ws has already answered it with a close code.
    errorHandler: (error, socket) => {
      options.logger.debug({ err: error }, 'a websocket failed');
      socket.terminate();
    },
    preClose(done) {
      for (const socket of this.websocketServer.clients) socket.close(GOING_AWAY, 'service is shutting down');
      // A client that never answers the close frame would keep the server open forever.
      const grace = setTimeout(() => {
        for (const socket of this.websocketServer.clients) socket.terminate();
      }, CLOSE_GRACE_MS);
      this.websocketServer.close(() => clearTimeout(grace));
      done();
    },
  });
  // The plugin would accept an upgrade on any route, and then close it.
  app.addHook('preHandler', async (request) => {
    if (request.ws && !request.is404 && !ALL_PATHS.includes(request.routeOptions.url ?? ''))
      throw new DomainError('no-websocket-here');
  });
  // In a separate scope, since a route becomes a WebSocket route only once the plugin is loaded.
  app.register(async (routes: App) => {
    for (const url of PATHS) {
      routes.route({
        method: 'GET',
        url,
        config: needs('read', 'filtered'),
        schema: streamSchema,
        // Before the upgrade, so that a failure is answered like any other refusal.
        preHandler: async ({ query, rights }) => {
          if ((query as StreamQuery).origin === 'user') rights.require('takeover');
        },
        handler: () => {
          throw new DomainError('upgrade-required');
        },
        wsHandler: (socket, request) => {
          const { query, isFromDashboard } = request;
          const origin = query.origin ?? (isFromDashboard ? originOf(request) : 'api');
          const left = new AbortController();
          // Each of its messages that waits in line adds a listener.
          setMaxListeners(0, left.signal);
          socket.once('close', () => left.abort(new DomainError('client-gone')));
          const type: CommandContext['type'] = async ({ terminalId, data, ...wish }) => {
            const ask = options.writers.ask(wish, request, origin, left.signal);
            await options.terminals.type(terminalId, [{ data }], origin, { ask });
          };
          const who = () => options.writers.who(request, origin);
          const leases = new ClientLeases(options.leases, { who, signal: left.signal });
          const own = { type, leases: () => leases, hasAll: true, rights: request.rights };
          const hasLeft = () => request.raw.socket.readableEnded;
          serveClient(socket, query, { ...options, ...own, hasLeft });
        },
      });
    }
    registerRemoteSocket(routes, options);
  });
}

/**
 * Notifies all clients that the service restarts, so that they reconnect. Resolves once their connections are closed, at
 * the latest after CLOSE_GRACE_MS.
 */
export async function endClients(app: Pick<App, 'websocketServer'>): Promise<void> {
  const { clients } = app.websocketServer;
  const closed = [...clients].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  for (const socket of clients) socket.close(SERVICE_RESTART, 'service restarts');
  await Promise.race([Promise.all(closed), pause(CLOSE_GRACE_MS)]);
}
