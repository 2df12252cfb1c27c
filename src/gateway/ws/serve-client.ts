import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Rights } from '../../actors/access/rights.js';
import {
  MAX_CLIENT_INBOX_BYTES,
  MAX_CLIENT_QUEUE_BYTES,
  PING_INTERVAL_MS,
  QUEUED_MESSAGE_BYTES,
  RESYNC_BELOW_BYTES,
} from '../../contract/limits.js';
import { type StreamQuery, welcome } from '../../contract/ws-messages.js';
import { ClientInbox } from './client-inbox.js';
import { ClientQueue } from './client-queue.js';
import type { CommandContext } from './commands.js';
import { dispatch } from './dispatch.js';
import type { FanOut } from './fan-out.js';
import { writeFrame } from './raw-frames.js';
import type { ScreenViews } from './screen-views.js';
import { StreamClient, type Subscription } from './stream-client.js';

/** Bytes of a client's queue that output leaves free for replies and lifecycle events. */
const RESERVED_BYTES = 512 * 1024;

/** Messages of one client in work at once; more of them wait until one is answered. */
const MAX_IN_WORK = 64;

/** The code of a connection that ended without a close frame. */
const NO_CLOSE_FRAME = 1006;
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;

/** Parts that one client's stream and commands act on: parts of this service, or of another machine. */
export interface LiveParts extends Omit<CommandContext, 'client' | 'fanOut' | 'screens'> {
  fanOut: FanOut;
  screens: Pick<ScreenViews, 'watch' | 'resync' | 'remove'>;
  /** The welcome frame's `mode`. */
  mode: () => string;
  /** Returns whether the client itself has ended the connection, with or without a close frame. */
  hasLeft: () => boolean;
  logger: Logger;
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

/** Serves one WebSocket client until it leaves. */
export function serveClient(socket: WebSocket, query: StreamQuery, parts: LiveParts): void {
  const { fanOut, screens, terminals, hasAll, attached, mode, type, leases, rights } = parts;
  const queue = new ClientQueue({
    send: (message, done) => {
      if (typeof message === 'string') socket.send(message, done);
      else writeFrame(socket, message, done);
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
    hasAll,
    attached,
    fanOut,
    screens,
    client,
    type,
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
  receive(socket, context, parts);
}

/** Carries out the messages of a client, and sends the replies. */
function receive(socket: WebSocket, context: CommandContext, { hasLeft, logger }: LiveParts): void {
  const { queue } = context.client;
  const inbox = new ClientInbox({
    work: (message) =>
      dispatch(message, context)
        .then((reply) => queue.push(JSON.stringify(reply)))
        .catch((error: unknown) => {
          logger.error({ err: error }, 'a websocket message failed');
          socket.close(INTERNAL_ERROR, 'internal error');
        }),
    ...{ maxInWork: MAX_IN_WORK, maxBytes: MAX_CLIENT_INBOX_BYTES, messageBytes: QUEUED_MESSAGE_BYTES },
    onFull: () => socket.pause(),
    onRoom: () => socket.resume(),
  });
  socket.on('message', (data, isBinary) => inbox.take(isBinary ? '' : data.toString()));
  // The other listeners end what the client has begun, so what it sent before it left is begun here, before them. If the
  // service has cut the connection, as when the client's token has ended, nothing more is begun.
  socket.prependOnceListener('close', (code) => {
    if (code !== NO_CLOSE_FRAME || hasLeft()) inbox.finish();
    else inbox.drop();
  });
}

/**
 * Pings, and ends a client that from one ping to the next neither answers nor takes any bytes. While the client is not
 * read its answer is not seen; if it is gone, the ping itself finds that out.
 */
function keepAlive(socket: WebSocket, queue: ClientQueue): () => void {
  let alive = true;
  let sentBefore = -1;
  socket.on('pong', () => {
    alive = true;
  });
  const timer = setInterval(() => {
    if (!alive && queue.sent === sentBefore && !socket.isPaused) {
      socket.terminate();
      return;
    }
    alive = false;
    sentBefore = queue.sent;
    socket.ping();
  }, PING_INTERVAL_MS);
  return () => clearInterval(timer);
}
