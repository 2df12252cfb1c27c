import { FLEET_STREAM_SILENT_MS } from '../../contract/limits.js';
import { openPacket, PACKET, sealPacket } from './stream-cipher.js';
import { StreamSender } from './stream-sender.js';
import type { StreamWindow } from './stream-window.js';
import { type State, type StreamEnd, saidBy, Want } from './stream-wire.js';

/** Pause before the same parts are sent again. */
const REPEAT_MS = 250;

export interface ServedStreamOptions {
  keys: { owner: Buffer; follower: Buffer };
  transmit: (packet: Uint8Array<ArrayBuffer>) => void;
  /** Returns why the follower may receive no more; undefined while it may. Called before anything is sent. */
  refusal: () => StreamEnd | undefined;
  /** Frees memory that is not needed any more. */
  free: (bytes: Uint8Array) => void;
  window: StreamWindow;
  /** Called once, when it is over. */
  onOver: () => void;
}

/** The source of a stream. */
export interface StreamSource {
  /** Called with the follower's wish. */
  onWish: (wish: unknown) => void;
  /** Called when grants have changed, or time has passed. */
  look?: () => void;
  /** Called when the stream is over. */
  close: () => void;
}

/** A stream to another machine, at its owner. */
export class ServedStream {
  readonly #options: ServedStreamOptions;
  readonly #sender: StreamSender;
  source: StreamSource | undefined;
  #states = 0;
  #heard = -1;
  #heardAt = performance.now();
  #told: unknown;
  /** The part from which on parts were last sent again, and when. */
  #repeatedFrom = -1;
  #repeatedAt = 0;
  #isOver = false;

  constructor(options: ServedStreamOptions) {
    this.#options = options;
    const { keys, transmit, free, window } = options;
    this.#sender = new StreamSender({
      seal: (number, isLast, pieces) =>
        sealPacket(keys.owner, isLast ? PACKET.last : PACKET.part, number, pieces),
      transmit,
      free,
      window,
    });
  }

  /** Bytes that may be under way, as far as the follower takes them. */
  get windowBytes(): number {
    return this.#options.window.bytes;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sends a message; `done` is called once the follower has it, or never will. */
  send(kind: number, bytes: Uint8Array, done: () => void): void {
    if (this.look()) this.#sender.send(kind, bytes, done);
    else done();
  }

  /** Sends the source's reply to the follower's wish; the last reply is repeated until the next. */
  tell(told: unknown): void {
    this.#told = told;
    if (this.look()) this.#state();
  }

  /** Takes a packet of the follower. */
  onPacket(data: Uint8Array): void {
    const packet = openPacket(this.#options.keys.follower, data);
    if (packet?.kind !== PACKET.want || packet.number <= this.#heard) return;
    this.#heard = packet.number;
    this.#heardAt = performance.now();
    const want = saidBy(Want, packet.content);
    if (!want || want.isClosed) this.close();
    if (!want || !this.look()) return;
    const { next, limit, isLost, asks, wish } = want;
    // Answered before more parts are sent: the time that these take on the line must not count as distance.
    if (asks) this.#state({ answers: packet.number });
    this.#sender.confirm(next, limit);
    if (isLost && this.#mayRepeat(next)) this.#sender.again();
    if (wish !== undefined) this.source?.onWish(wish);
  }

  /** Limits how often lost parts are sent again: they can fill the window, and a follower may ask at any rate. */
  #mayRepeat(next: number): boolean {
    const now = performance.now();
    if (next === this.#repeatedFrom && now - this.#repeatedAt < REPEAT_MS) return false;
    this.#repeatedFrom = next;
    this.#repeatedAt = now;
    return true;
  }

  /** Sends the stream's state once the connection is back, so that the follower detects lost parts. */
  resume(): void {
    if (this.look()) this.#state();
  }

  /** Ends the stream if the follower may receive no more, or has gone. Returns whether the stream goes on. */
  look(): boolean {
    if (this.#isOver) return false;
    const refusal = this.#options.refusal();
    if (refusal) this.end(refusal);
    else if (performance.now() - this.#heardAt > FLEET_STREAM_SILENT_MS) this.close();
    return !this.#isOver;
  }

  /** Ends the stream, and sends the reason to the follower. Unsent messages are dropped. */
  end(end: StreamEnd): void {
    if (this.#isOver) return;
    this.#state({ end });
    this.close();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sender.close();
    this.source?.close();
    this.#options.onOver();
  }

  #state(facts: Pick<State, 'end' | 'answers'> = {}): void {
    const state: State = {
      next: this.#sender.next,
      ...facts,
      ...(this.#told !== undefined && { told: this.#told }),
    };
    const content = Buffer.from(JSON.stringify(state));
    this.#options.transmit(sealPacket(this.#options.keys.owner, PACKET.state, this.#states++, [content]));
  }
}
