import type { MessagePort } from 'node:worker_threads';
import { MAX_STREAM_BYTES } from '../../contract/limits.js';
import { CallEnd, serve } from '../link.js';
import { FrameWriter } from './frame-writer.js';
import type { ShardApi, StreamMessage } from './protocol.js';

/** Message from the main thread to a shard. */
export type ToShard =
  /** A call of {@link ShardApi}, as Comlink encodes it. */
  | { type: 'call'; call: unknown }
  /** Amount of the stream that the main thread has taken since its last report, as `sizeOf` counts. */
  | { type: 'taken'; bytes: number };

/** Message from a shard to the main thread. All of them come in the order in which the shard posts them. */
export type FromShard =
  /** The reply to a call, as Comlink encodes it. */
  { type: 'reply'; reply: unknown } | StreamMessage;

/**
 * The shard's end of its port to the main thread. Events and the replies to calls go over this port alone, so that the
 * main thread gets them in the order in which the shard posts them. A port between threads has no bound of its own, so
 * the main thread reports how much it has taken.
 */
export class StreamPort {
  /** Makes the frames of all terminals of the shard. */
  readonly frames = new FrameWriter();
  readonly #port: MessagePort;
  /** Bytes of frames that the main thread has not taken yet. */
  #outstanding = 0;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** Begins to listen: serves calls, and counts the frames that the main thread takes. */
  serve(api: ShardApi): void {
    const calls = new CallEnd((reply, transfer) => {
      this.#port.postMessage({ type: 'reply', reply } satisfies FromShard, transfer);
    });
    this.#port.on('message', (message: ToShard) => {
      if (message.type === 'taken') this.#outstanding -= message.bytes;
      else calls.take(message.call);
    });
    serve(api, calls);
  }

  /** Bytes of frames that wait for the main thread. */
  get waitingBytes(): number {
    return this.#outstanding;
  }

  /** Whether the main thread is behind by more than it ever should be, so that output must be dropped. */
  get isFull(): boolean {
    return this.#outstanding > MAX_STREAM_BYTES;
  }

  /** Posts a message. Its frames are transferred without a copy, so their buffers are unusable afterwards. */
  post(message: StreamMessage): void {
    this.#outstanding += sizeOf(message);
    this.#port.postMessage(message, framesOf(message));
  }
}

/** Returns the size with which a message counts until the main thread has taken it: bytes of frames, characters of text. */
export function sizeOf(message: StreamMessage): number {
  if (message.type === 'printed') return message.content.length;
  if (message.type !== 'output' && message.type !== 'resync') return 0;
  const { plain, seq, sized } = message;
  return (plain?.byteLength ?? 0) + (seq?.byteLength ?? 0) + (sized?.byteLength ?? 0);
}

const NO_FRAMES: readonly ArrayBuffer[] = [];

/** Returns the frames that a message carries. */
function framesOf(message: StreamMessage): readonly ArrayBuffer[] {
  if (message.type !== 'output' && message.type !== 'resync') return NO_FRAMES;
  const { plain, seq, sized } = message;
  if (sized) return [plain, seq, sized].filter((frame) => frame !== undefined);
  if (plain && seq) return [plain, seq];
  return plain ? [plain] : seq ? [seq] : NO_FRAMES;
}
