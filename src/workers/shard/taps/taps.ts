import { DomainError } from '../../../contract/errors.js';
import { HOLD_MS, TAP_WAIT_MS } from '../../../contract/limits.js';
import type { ScreenActor } from '../screen-actor.js';
import { SecretCover } from '../secret-cover.js';
import { Tap } from './tap.js';
import type { TapFrom, TapSlice } from './tap-api.js';

/** The terminal that readers tap. */
export interface TappedTerminal {
  screenActor: Pick<ScreenActor, 'askPlace'>;
  secret: string;
  /** Position after the last byte that was passed to {@link Taps.output}. */
  received: number;
}

export interface TapsOptions {
  /** Confirms output to the pty host, which stops reading the program when too much is unconfirmed. */
  confirm: (position: number) => void;
  /** Whether the output is kept for the first reader from the start on. */
  isHeld: boolean;
}

/**
 * The readers of one terminal's raw output. A terminal can be held for its first reader: its output is confirmed to the
 * pty host no further than that reader has taken it, so that a slow reader slows the program.
 */
export class Taps {
  readonly #confirm: TapsOptions['confirm'];
  readonly #taps = new Map<number, Tap>();
  /** The place of a first reader that has not come yet. */
  #held: Tap | undefined;
  readonly #expiry: NodeJS.Timeout | undefined;
  /** Position that would be confirmed if no reader held the program. */
  #confirmable = 0;
  #isOver = false;

  constructor({ confirm, isHeld }: TapsOptions) {
    this.#confirm = confirm;
    if (!isHeld) return;
    this.#held = new Tap(0, true);
    this.#expiry = setTimeout(() => this.#letGo(), HOLD_MS);
  }

  /** Confirms output as far as no reader holds it. */
  confirm(position: number): void {
    this.#confirmable = position;
    this.#advance();
  }

  output(bytes: Uint8Array): void {
    this.#held?.write(bytes);
    for (const tap of this.#taps.values()) tap.write(bytes);
  }

  /** Notes that all output has come. */
  exited(): void {
    this.#isOver = true;
    this.#held?.end();
    for (const tap of this.#taps.values()) tap.end();
  }

  /** Adds a reader with this number. Throws `output-gone` if the output is no longer kept from the start on. */
  async open(reader: number, from: TapFrom, terminal: TappedTerminal): Promise<void> {
    if (from === 'start' && this.#held) {
      this.#taps.set(reader, this.#held);
      this.#held = undefined;
      clearTimeout(this.#expiry);
      return;
    }
    const tap = new Tap(terminal.received, false);
    this.#taps.set(reader, tap);
    if (from === 'start') await this.#beginFromStart(reader, tap, terminal);
    if (this.#isOver) tap.end();
  }

  /** Resolves with the next output, or with nothing after TAP_WAIT_MS. Throws `output-gone`. */
  async take(reader: number): Promise<TapSlice> {
    const tap = this.#taps.get(reader);
    // Another shard had this reader.
    if (!tap) throw new DomainError('output-gone');
    const slice = await tap.take(TAP_WAIT_MS);
    if (tap.isHolding) this.#advance();
    return slice;
  }

  /** Removes a reader. The program no longer waits for it. */
  close(reader: number): void {
    this.#taps.get(reader)?.end();
    this.#taps.delete(reader);
    this.#advance();
  }

  /** Ends all reading, because the terminal is gone. */
  closeAll(fault: DomainError): void {
    clearTimeout(this.#expiry);
    this.#held = undefined;
    for (const tap of this.#taps.values()) tap.fail(fault);
  }

  async #beginFromStart(reader: number, tap: Tap, terminal: TappedTerminal): Promise<void> {
    const printed = await terminal.screenActor.askPlace(({ history, position }) => {
      const { gap, segments } = history.between(0, position);
      const pieces = segments.flatMap((segment) => ('bytes' in segment ? [segment.bytes] : []));
      return gap ? undefined : Buffer.concat(pieces);
    });
    if (printed) tap.begin(new SecretCover(terminal.secret).cover(printed));
    else {
      this.close(reader);
      throw new DomainError('output-gone');
    }
  }

  #letGo(): void {
    this.#held = undefined;
    this.#advance();
  }

  #advance(): void {
    const holding = [this.#held, ...this.#taps.values()].filter((tap) => tap?.isHolding);
    const position = Math.min(this.#confirmable, ...holding.map((tap) => tap?.taken ?? 0));
    if (position > 0) this.#confirm(position);
  }
}
