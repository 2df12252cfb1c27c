import {
  FLEET_STREAM_WINDOW_BYTES,
  MAX_CLIENT_QUEUE_BYTES,
  MAX_FLEET_STREAMED_BYTES,
  QUEUED_MESSAGE_BYTES,
  RESYNC_BELOW_BYTES,
} from '../../contract/limits.js';
import { LIVE, LiveWish } from '../../fleet/streams/live-wire.js';
import type { ServedStream, StreamSource } from '../../fleet/streams/served-stream.js';
import type { LiveAsked } from '../../fleet/streams/streams-in.js';
import { frameHeaderBytes } from '../../workers/shard/frame-header.js';
import type { TerminalsPort } from '../ports.js';
import { ClientQueue } from '../ws/client-queue.js';
import type { FanOut } from '../ws/fan-out.js';
import { type AttachedHere, GuestClients } from './guest-clients.js';
import { RelayClient } from './relay-client.js';

/** Bytes of a queue that output leaves free for events. */
const RESERVED_BYTES = 256 * 1024;

export interface LiveSourcesOptions {
  fanOut: FanOut;
  attached: AttachedHere;
  terminals: Pick<TerminalsPort, 'get'>;
  onFault: (error: unknown) => void;
}

/** The terminals of this machine that other machines watch. */
export class LiveSources {
  readonly #options: LiveSourcesOptions;
  /** Queues of the messages that wait, by machine. */
  readonly #waiting = new Map<string, Set<ClientQueue>>();

  constructor(options: LiveSourcesOptions) {
    this.#options = options;
  }

  /** Begins to send a terminal to a machine. Throws terminal-not-found. */
  open({ machineId, terminalId, has }: LiveAsked, stream: ServedStream): StreamSource {
    const { fanOut, attached, terminals, onFault } = this.#options;
    terminals.get(terminalId);
    const queues = this.#waiting.get(machineId) ?? new Set();
    this.#waiting.set(machineId, queues);
    const waiting = () => [...queues].reduce((sum, { queued }) => sum + queued, 0);
    const queue = new ClientQueue({
      send: (message, done) => {
        if (typeof message === 'string') stream.send(LIVE.event, Buffer.from(message), done);
        else stream.send(client.frameKind, message.subarray(frameHeaderBytes(message)), done);
      },
      // All streams of one machine share a bound, and each may always fill its window.
      get maxBytes() {
        const room = MAX_FLEET_STREAMED_BYTES - waiting() + queue.queued;
        return Math.min(MAX_CLIENT_QUEUE_BYTES, Math.max(FLEET_STREAM_WINDOW_BYTES, room));
      },
      reservedBytes: RESERVED_BYTES,
      drainedBytes: RESYNC_BELOW_BYTES,
      messageBytes: QUEUED_MESSAGE_BYTES,
      onDrained: () => fanOut.drained(client),
      onOverflow: () => stream.close(),
    });
    queues.add(queue);
    const client = new RelayClient(terminalId, queue);
    const guests = new GuestClients({ attached, machineId, terminalId, has, onFault, stream });
    // Screens are sent once the client is live: before, output may be missing after a screen.
    const live = fanOut.add(client);
    let screens = 0;
    return {
      onWish: (said) => {
        const wish = LiveWish.safeParse(said);
        if (!wish.success) {
          stream.end({ code: 'invalid-request', error: 'The machine wants what this one does not know' });
          return;
        }
        if (wish.data.screens > screens) {
          screens = wish.data.screens;
          void live.then(() => {
            client.want();
            fanOut.drained(client);
          });
        }
        guests.want(wish.data);
      },
      look: () => guests.look(),
      close: () => {
        fanOut.remove(client);
        guests.leave();
        queues.delete(queue);
        if (queues.size === 0) this.#waiting.delete(machineId);
      },
    };
  }
}
