import type { Socket } from 'node:net';
import type { Hello } from '../../../contract/host-greeting.js';
import { Frame } from '../../../contract/host-protocol.js';
import { CALL_DEADLINE_MS, CALM_OUTPUT_MS, HOST_SOCKET_QUEUE_BYTES } from '../../../contract/limits.js';
import type { Attachment, StreamSink } from '../log/attachment.js';
import { encodeFields, encodeFrame, encodeJson, FrameDecoder } from './framing.js';

/** Output of one turn up to this size is copied into one piece. */
const GATHER_BELOW_BYTES = 32 * 1024;

export interface PeerEvents {
  /** Called for each frame; a thrown error closes the connection. */
  frame(peer: Peer, type: number, terminal: number, payload: Buffer): void;
  closed(peer: Peer): void;
  log(message: string): void;
}

/** One connection to the host: reports incoming frames, and sends what its attachments have, as the socket takes it. */
export class Peer implements StreamSink {
  /** Set by the first frame. */
  hello: Hello | null = null;
  readonly #socket: Socket;
  readonly #events: PeerEvents;
  readonly #attachments = new Set<Attachment>();
  /** Attachments with something to send, in the order of their turns. */
  readonly #awake = new Set<Attachment>();
  #flush: NodeJS.Immediate | null = null;
  /** Set while output that is not urgent is gathered. */
  #calm: NodeJS.Timeout | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;
  #full = false;
  /** Pieces that attachments send in this turn; null outside of a turn. */
  #gathered: Uint8Array[] | null = null;
  #gatheredBytes = 0;
  /** Memory in which small pieces are joined; empty if the socket still uses the earlier memory. */
  #memory: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, events: PeerEvents) {
    this.#socket = socket;
    this.#events = events;
    const onFrame = (type: number, terminal: number, payload: Buffer) => {
      if (!socket.destroyed) events.frame(this, type, terminal, payload);
    };
    const decoder = new FrameDecoder(onFrame, {
      passOver: (type, terminal, length) => this.#passesOver(type, terminal, length),
    });
    socket.on('data', (chunk) => this.#onData(decoder, chunk));
    socket.on('drain', () => {
      this.#full = false;
      socket.resume();
      this.#send();
    });
    // A reset is a close like any other; 'close' follows it.
    socket.on('error', () => {});
    socket.on('close', () => this.#onClose());
    const mute = setTimeout(() => {
      if (!this.hello) socket.destroy();
    }, CALL_DEADLINE_MS);
    mute.unref();
  }

  json(type: Frame, terminal: number, value: unknown): void {
    this.write(encodeJson(type, terminal, value));
  }

  /** Writes bytes of frames, in order. */
  write(bytes: Uint8Array): void {
    if (this.#socket.destroyed || bytes.length === 0) return;
    if (!this.#gathered) this.#socket.write(bytes);
    else {
      this.#gathered.push(bytes);
      this.#gatheredBytes += bytes.length;
    }
  }

  /** Sends everything that `work` writes in one go. */
  together(work: () => void): void {
    this.#socket.cork();
    try {
      work();
    } finally {
      this.#socket.uncork();
    }
  }

  wake(attachment: Attachment, isUrgent: boolean): void {
    this.#attachments.add(attachment);
    this.#awake.add(attachment);
    if (this.#full || this.#flush) return;
    const pause = isUrgent ? 0 : this.#sentAt + CALM_OUTPUT_MS - performance.now();
    if (pause > 0) this.#calm ??= setTimeout(() => this.#send(), pause);
    // At the end of the turn of the event loop, so that the output of several reads goes out in one go.
    else this.#flush = setImmediate(() => this.#send());
  }

  hurry(attachment: Attachment): void {
    if (this.#calm && this.#awake.has(attachment)) this.wake(attachment, true);
  }

  remove(attachment: Attachment): void {
    this.#attachments.delete(attachment);
    this.#awake.delete(attachment);
  }

  detached(handle: number, token: number): void {
    this.write(encodeFrame(Frame.detached, handle, encodeFields([['u32', token]])));
  }

  /** Sends the queued bytes, then closes. */
  end(): void {
    this.#socket.destroySoon();
  }

  #onData(decoder: FrameDecoder, chunk: Buffer): void {
    try {
      decoder.push(chunk);
    } catch (error) {
      this.#events.log(`connection closed: ${error instanceof Error ? error.message : error}`);
      this.#socket.destroy();
      return;
    }
    // A client that sends requests without reading the replies then blocks on its own socket.
    if (this.#socket.writableLength > 2 * HOST_SOCKET_QUEUE_BYTES) this.#socket.pause();
  }

  /**
   * Skips a checkpoint that is too long instead of closing the connection, which the shard's other terminals share: the
   * checkpoint before it and the output since describe the same screen.
   */
  #passesOver(type: number, terminal: number, length: number): boolean {
    if (!this.hello || type !== Frame.checkpoint) return false;
    this.#events.log(`terminal ${terminal}: ignored a checkpoint of ${length} bytes, which is too long`);
    return true;
  }

  #send(): void {
    this.#clearTimers();
    this.#sentAt = performance.now();
    const socket = this.#socket;
    if (socket.destroyed) return;
    const pieces: Uint8Array[] = [];
    this.#gathered = pieces;
    this.#gatheredBytes = 0;
    try {
      for (const attachment of this.#awake) {
        if (socket.writableLength + this.#gatheredBytes >= HOST_SOCKET_QUEUE_BYTES) break;
        this.#awake.delete(attachment);
        // An attachment with more to send goes behind the others.
        if (attachment.send()) this.#awake.add(attachment);
      }
    } finally {
      this.#gathered = null;
      this.#writeAll(pieces, this.#gatheredBytes);
    }
    this.#full = this.#awake.size > 0;
    // The kernel took everything at once, so there will be no 'drain'.
    if (this.#full && !socket.writableNeedDrain) {
      this.#full = false;
      this.#flush = setImmediate(() => this.#send());
    }
  }

  /** Many small frames cost less as one piece, in the same memory each time; large ones are not copied. */
  #writeAll(pieces: readonly Uint8Array[], bytes: number): void {
    if (bytes > GATHER_BELOW_BYTES) {
      this.together(() => {
        for (const piece of pieces) this.write(piece);
      });
      return;
    }
    if (this.#memory.length === 0) this.#memory = Buffer.allocUnsafeSlow(GATHER_BELOW_BYTES);
    let end = 0;
    for (const piece of pieces) {
      this.#memory.set(piece, end);
      end += piece.length;
    }
    this.write(this.#memory.subarray(0, end));
    // Until the kernel has taken all of it, the memory is the socket's.
    if (this.#socket.writableLength > 0) this.#memory = Buffer.alloc(0);
  }

  #clearTimers(): void {
    if (this.#flush) clearImmediate(this.#flush);
    if (this.#calm) clearTimeout(this.#calm);
    this.#flush = null;
    this.#calm = null;
  }

  #onClose(): void {
    this.#clearTimers();
    for (const attachment of this.#attachments) attachment.detach();
    this.#events.closed(this);
  }
}
