import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import websocket from '@fastify/websocket';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Rights } from '../../actors/access/rights.js';
import { DomainError } from '../../contract/errors.js';
import {
  CLOSE_GRACE_MS,
  MAX_CLIENT_QUEUE_BYTES,
  MAX_WS_MESSAGE_BYTES,
  PING_INTERVAL_MS,
  QUEUED_MESSAGE_BYTES,
  RESYNC_BELOW_BYTES,
} from '../../contract/limits.js';
import { type StreamQuery, welcome } from '../../contract/ws-messages.js';
import { needs } from '../access/needs.js';
import { streamSchema } from '../openapi/stream.js';
import { originOf } from '../origin.js';
import type { App } from '../validation.js';
import type { Writers } from '../writers.js';
import { ClientLeases, type LeasesPort } from './client-leases.js';
import { ClientQueue } from './client-queue.js';
import type { AttachedPort, CommandContext } from './commands.js';
import { loadSendNow, type SendNow } from './direct-send.js';
import { dispatch } from './dispatch.js';
import type { FanOut } from './fan-out.js';
import { writeFrame } from './raw-frames.js';
import type { ScreenViews } from './screen-views.js';
import { StreamClient, type Subscription } from './stream-client.js';

/** Bytes of a client's queue that output leaves free for replies and lifecycle events. */
const RESERVED_BYTES = 512 * 1024;

/**
 * Messages of one client in progress at once; at this number the client is not read until half of them are answered.
 */
const MAX_IN_FLIGHT = 64;

const PATHS = ['/ws', '/api/ws'];

const GOING_AWAY = 1001;
const SERVICE_RESTART = 1012;
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;

export interface WebSocketOptions {
  terminals: CommandContext['terminals'];
  attached: AttachedPort;
  fanOut: FanOut;
  screens: ScreenViews;
  writers: Pick<Writers, 'ask' | 'who'>;
  leases: LeasesPort;
  /** The welcome frame's `mode`. */
  mode: () => string;
  logger: Logger;
}

/** Serves `/ws` and `/api/ws`: the live stream and the input channel. */
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
    if (request.ws && !request.is404 && !PATHS.includes(request.routeOptions.url ?? ''))
      throw new DomainError('no-websocket-here');
  });
  const direct = loadSendNow(process.platform, process.arch);
  const sendNow = typeof direct === 'function' ? direct : undefined;
  if ('missing' in direct) options.logger.debug({ missing: direct.missing }, 'frames go through streams');
  // In a separate scope, since a route becomes a WebSocket route only once the plugin is loaded.
  app.register(async (routes: App) => {
    for (const url of PATHS) {
      routes.route({
        method: 'GET',
        url,
        config: needs('read', 'filtered'),
        schema: streamSchema,
        // Before the upgrade, so that it is answered as any refusal.
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
          // Each of its messages that waits in line listens.
          setMaxListeners(0, left.signal);
          socket.once('close', () => left.abort(new DomainError('client-gone')));
          const ask: CommandContext['ask'] = (wish) =>
            options.writers.ask(wish, request, origin, left.signal);
          const who = () => options.writers.who(request, origin);
          const leases = new ClientLeases(options.leases, { who, signal: left.signal });
          const { rights } = request;
          serveClient(socket, query, { ...options, origin, ask, leases, rights }, sendNow);
        },
      });
    }
  });
}

/**
 * Tells all clients that the service restarts, so that they connect again. Resolves once their connections are closed, at
 * the latest after CLOSE_GRACE_MS.
 */
export async function endClients(app: Pick<App, 'websocketServer'>): Promise<void> {
  const { clients } = app.websocketServer;
  const closed = [...clients].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  for (const socket of clients) socket.close(SERVICE_RESTART, 'service restarts');
  await Promise.race([Promise.all(closed), pause(CLOSE_GRACE_MS)]);
}

function subscriptionOf(query: StreamQuery, { isBound, sees }: Rights): Subscription {
  const { terminals, events, activity, seq, snapshot, output, screens } = query;
  const ids = terminals === undefined ? undefined : [terminals].flat().flatMap((list) => list.split(','));
  return {
    terminals: ids && new Set(ids.filter((id) => id !== '')),
    variant: output === '0' ? undefined : snapshot === '1' ? 'sized' : seq === '1' ? 'seq' : 'plain',
    lifecycle: events !== undefined,
    everything: events === 'all',
    activity: activity === '1',
    snapshot: snapshot === '1',
    screens: screens === '1',
    sees: isBound ? (id) => sees(id) : undefined,
  };
}

function serveClient(
  socket: WebSocket,
  query: StreamQuery,
  options: Omit<WebSocketOptions, 'leases'> & Pick<CommandContext, 'origin' | 'ask' | 'leases' | 'rights'>,
  sendNow: SendNow | undefined,
): void {
  const { fanOut, screens, terminals, attached, mode, origin, ask, leases, rights, logger } = options;
  const queue = new ClientQueue({
    send: (message, done) => {
      if (typeof message !== 'string') return writeFrame(socket, message, done, sendNow);
      socket.send(message, done);
      return false;
    },
    maxBytes: MAX_CLIENT_QUEUE_BYTES,
    reservedBytes: RESERVED_BYTES,
    drainedBytes: RESYNC_BELOW_BYTES,
    messageBytes: QUEUED_MESSAGE_BYTES,
    onDrained: () => fanOut.drained(client),
    onOverflow: () => {
      socket.close(TRY_AGAIN_LATER, 'too slow');
      socket.terminate();
    },
  });
  const client = new StreamClient(subscriptionOf(query, rights), queue);
  const context: CommandContext = {
    terminals,
    attached,
    fanOut,
    screens,
    client,
    origin,
    ask,
    leases,
    rights,
  };
  // The client is not read before its welcome, and not welcomed before its stream is live. So after the welcome it
  // misses no output, neither of terminals that it creates nor of terminals that existed before.
  socket.pause();
  void fanOut.add(client).then(() => {
    queue.push(JSON.stringify(welcome(mode())));
    socket.resume();
  });
  const stopPinging = keepAlive(socket, queue);
  socket.once('close', () => {
    stopPinging();
    fanOut.remove(client);
    screens.remove(client);
    attached.leave(client.id);
  });

  let inFlight = 0;
  socket.on('message', (data, isBinary) => {
    if (++inFlight === MAX_IN_FLIGHT) socket.pause();
    dispatch(isBinary ? '' : data.toString(), context)
      .then((reply) => queue.push(JSON.stringify(reply)))
      .catch((error: unknown) => {
        logger.error({ err: error }, 'a websocket message failed');
        socket.close(INTERNAL_ERROR, 'internal error');
      })
      .finally(() => {
        if (--inFlight === MAX_IN_FLIGHT / 2) socket.resume();
      });
  });
}

/** Pings, and ends a client that from one ping to the next neither answers nor takes any bytes. */
function keepAlive(socket: WebSocket, queue: ClientQueue): () => void {
  let alive = true;
  let sentBefore = -1;
  socket.on('pong', () => {
    alive = true;
  });
  const timer = setInterval(() => {
    if (!alive && queue.sent === sentBefore) {
      socket.terminate();
      return;
    }
    alive = false;
    sentBefore = queue.sent;
    socket.ping();
  }, PING_INTERVAL_MS);
  return () => clearInterval(timer);
}
