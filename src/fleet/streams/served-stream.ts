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
  /** Returns why the follower may have no more of it; undefined while it may. Asked before anything is sent. */
  refusal: () => StreamEnd | undefined;
  /** Frees memory that is not needed any more. */
  free: (bytes: Uint8Array) => void;
  window: StreamWindow;
  /** Called once, when it is over. */
  onOver: () => void;
}

/** The source of a stream. */
export interface StreamSource {
  /** Called with what the follower wants of it. */
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

  /** Bytes that may be on their way, as far as the follower takes them. */
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

  /** Tells the follower what the source says to its wish; the last is told again until the next. */
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
    // Before the parts that it takes by now: their way through the line is no part of the distance.
    if (asks) this.#state({ answers: packet.number });
    this.#sender.confirm(next, limit);
    if (isLost && this.#mayRepeat(next)) this.#sender.again();
    if (wish !== undefined) this.source?.onWish(wish);
  }

  /** Whether what was lost is sent again: it is as much as the window, and a follower may ask as often as it likes. */
  #mayRepeat(next: number): boolean {
    const now = performance.now();
    if (next === this.#repeatedFrom && now - this.#repeatedAt < REPEAT_MS) return false;
    this.#repeatedFrom = next;
    this.#repeatedAt = now;
    return true;
  }

  /** The connection is back: tells how far it has come, so that the follower notices what was lost. */
  resume(): void {
    if (this.look()) this.#state();
  }

  /** Ends the stream if the follower may have no more, or has gone. Returns whether it goes on. */
  look(): boolean {
    if (this.#isOver) return false;
    const refusal = this.#options.refusal();
    if (refusal) this.end(refusal);
    else if (performance.now() - this.#heardAt > FLEET_STREAM_SILENT_MS) this.close();
    return !this.#isOver;
  }

  /** Ends the stream, and tells the follower why. What was not sent is dropped. */
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
