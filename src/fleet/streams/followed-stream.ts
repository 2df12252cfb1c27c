import {
  FLEET_STREAM_ASK_MS,
  FLEET_STREAM_LOST_MS,
  FLEET_STREAM_WINDOW_BYTES,
} from '../../contract/limits.js';
import { openPacket, PACKET, sealPacket } from './stream-cipher.js';
import { StreamReceiver } from './stream-receiver.js';
import { type StreamWindow, WindowDemand } from './stream-window.js';
import { State, type StreamEnd, saidBy, type Want } from './stream-wire.js';

/** Why a stream is over: its owner has ended it, or it was lost, so that another can be opened. */
export type FollowEnd = StreamEnd | 'lost';

export interface FollowedHandlers {
  /** Takes a message: its kind, and its bytes. */
  onMessage: (kind: number, bytes: Uint8Array<ArrayBuffer>) => void;
  /** Takes the source's reply to the `wish` of a {@link Want}. */
  onTold?: (told: unknown) => void;
  onEnd: (end: FollowEnd) => void;
}

export interface FollowedStreamOptions extends FollowedHandlers {
  keys: { owner: Buffer; follower: Buffer };
  transmit: (packet: Uint8Array<ArrayBuffer>) => void;
  /** Frees memory that is not needed any more. */
  free: (bytes: Uint8Array) => void;
  window: StreamWindow;
  /** Whether this machine and the owner are connected: otherwise silence has no meaning. */
  isConnected: () => boolean;
  /** Whether the owner has left the fleet, or restarted since it began to serve the stream. */
  isGone: () => boolean;
  onOver: () => void;
}

/** Milliseconds for which confirmations are gathered, unless much has come. */
const CONFIRM_MS = 10;
/** Bytes after which a confirmation does not wait. */
const CONFIRM_BYTES = FLEET_STREAM_WINDOW_BYTES / 4;
/** Milliseconds after which missing parts are asked for once more. */
const REPEAT_MS = 500;

/** A stream of another machine, at its follower. Messages come in order, none twice and none left out. */
export class FollowedStream {
  readonly #options: FollowedStreamOptions;
  readonly #receiver: StreamReceiver;
  readonly #timer: NodeJS.Timeout;
  #confirming: NodeJS.Timeout | undefined;
  readonly #demand = new WindowDemand();
  #wants = 0;
  #states = -1;
  /** The first question without an answer so far. */
  #probe: { number: number; at: number } | undefined;
  #heardAt = performance.now();
  #asked = { next: -1, at: 0 };
  #wish: unknown;
  #isOver = false;

  constructor(options: FollowedStreamOptions) {
    this.#options = options;
    this.#receiver = new StreamReceiver(
      (bytes) => options.onMessage(bytes[0] ?? 0, bytes.subarray(1)),
      options.free,
    );
    this.#timer = setInterval(() => this.#tick(), FLEET_STREAM_ASK_MS);
    this.#want({ asks: true });
  }

  /** Sends a wish to the source; the last wish is repeated, so that it cannot be lost. */
  wish(wish: unknown): void {
    this.#wish = wish;
    if (!this.#isOver) this.#want({ asks: true });
  }

  /** Sets how many bytes of messages wait for their reader: so many fewer are asked for. */
  hold(bytes: number): void {
    this.#receiver.held = bytes;
    if (this.#isDue) this.#confirm();
  }

  get #isDue(): boolean {
    return this.#receiver.freed(this.#options.window.bytes) >= CONFIRM_BYTES;
  }

  /** Takes a packet of the owner. */
  onPacket(data: Uint8Array): void {
    const packet = openPacket(this.#options.keys.owner, data);
    if (!packet || this.#isOver) return;
    this.#heardAt = performance.now();
    const { kind, number, content } = packet;
    if (kind === PACKET.state && number > this.#states) {
      this.#states = number;
      const state = saidBy(State, content);
      if (state) this.#onState(state);
      else this.#end({ code: 'internal', error: 'The other machine has sent what is no state of a stream' });
    } else if (kind === PACKET.part || kind === PACKET.last) {
      this.#onPart(number, kind === PACKET.last, content);
    }
  }

  /** Asks for the parts that were lost meanwhile; called when the connection here or at the owner is back. */
  resume(): void {
    if (this.#isOver) return;
    this.#heardAt = performance.now();
    this.#demand.forget();
    this.#probe = undefined;
    this.#want({ asks: true });
  }

  /** Ends it as lost: the owner knows nothing of it any more. */
  lose(): void {
    this.#end('lost');
  }

  /** Leaves the stream; no handler is called any more. */
  close(): void {
    if (this.#isOver) return;
    this.#want({ isClosed: true });
    this.#finish();
  }

  #onPart(number: number, isLast: boolean, content: Buffer): void {
    const taken = this.#receiver.take(number, isLast, content);
    // The message may have made its reader leave the stream.
    if (this.#isOver) return;
    if (taken === 'gap') this.#askAgain();
    else if (taken === 'broken')
      this.#end({ code: 'internal', error: 'The other machine has sent more than it may' });
    else if (this.#isDue) this.#confirm();
    else this.#confirming ??= setTimeout(() => this.#confirm(), CONFIRM_MS);
  }

  #onState({ next, end, told, answers = -1 }: State): void {
    if (this.#probe && answers >= this.#probe.number) {
      if (answers === this.#probe.number) this.#demand.tripped(performance.now() - this.#probe.at);
      this.#probe = undefined;
    }
    if (told !== undefined) this.#options.onTold?.(told);
    if (this.#isOver) return;
    if (end) this.#end(end);
    else if (next > this.#receiver.next) this.#askAgain();
  }

  /** Asks for the parts from the first missing one on, once for each, unless that takes too long. */
  #askAgain(): void {
    const { next } = this.#receiver;
    const now = performance.now();
    if (this.#asked.next === next && now - this.#asked.at < REPEAT_MS) return;
    this.#asked = { next, at: now };
    this.#want({ isLost: true });
  }

  #tick(): void {
    const { isConnected, isGone } = this.#options;
    if (isGone()) this.#end('lost');
    else if (!isConnected()) this.#heardAt = performance.now();
    else if (performance.now() - this.#heardAt > FLEET_STREAM_LOST_MS) this.#end('lost');
    if (!this.#isOver) this.#want({ asks: true });
  }

  #confirm(): void {
    clearTimeout(this.#confirming);
    this.#confirming = undefined;
    if (!this.#isOver) this.#want({});
  }

  #want(changes: Partial<Want>): void {
    const { window } = this.#options;
    const now = performance.now();
    this.#demand.came(this.#receiver.position, now);
    // Bytes that the owner may already send cannot be taken back, and bytes that the reader has not taken are held here.
    window.resize(Math.max(this.#demand.bytes, this.#receiver.held + this.#receiver.outstanding));
    const { next } = this.#receiver;
    const limit = this.#receiver.allow(window.bytes);
    if (changes.asks) this.#probe ??= { number: this.#wants, at: now };
    const want: Want = { next, limit, isLost: false, asks: false, isClosed: false, ...changes };
    // The wish goes only with questions that are answered: it may be long, and confirmations are many.
    const content = Buffer.from(JSON.stringify(want.asks ? { ...want, wish: this.#wish } : want));
    const { keys, transmit } = this.#options;
    transmit(sealPacket(keys.follower, PACKET.want, this.#wants++, [content]));
  }

  #end(end: FollowEnd): void {
    if (this.#isOver) return;
    // The owner may live and only have been silent.
    if (end === 'lost') this.#want({ isClosed: true });
    this.#finish();
    this.#options.onEnd(end);
  }

  #finish(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    clearTimeout(this.#confirming);
    this.#options.window.close();
    this.#options.onOver();
  }
}
