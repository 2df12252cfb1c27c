import { ControlStreamError } from './control-error.js';

const BACKSLASH = 0x5c;
const DIGIT_0 = 0x30;

/** Size of the largest piece in which output is passed on. */
const SCRATCH_BYTES = 64 * 1024;

/**
 * Decodes panes' output as tmux writes it (bytes below 0x20 and the backslash as `\ooo`, all others unchanged), and
 * joins adjacent output of one pane, since each piece has its costs further on.
 */
export class PaneOutput {
  readonly #output: (pane: number, bytes: Buffer) => void;
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #pane = -1;
  #filled = 0;

  /** @param output - is lent the memory until it returns */
  constructor(output: (pane: number, bytes: Buffer) => void) {
    this.#output = output;
  }

  /** Decodes the bytes between `from` and `to`; throws {@link ControlStreamError} when they are cut short. */
  append(pane: number, bytes: Buffer, from: number, to: number): void {
    if (pane !== this.#pane) this.flush();
    this.#pane = pane;
    let at = from;
    while (at < to) {
      if (this.#filled === SCRATCH_BYTES) this.flush();
      at = this.#decode(bytes, at, to);
    }
  }

  /** Passes on what has been decoded. */
  flush(): void {
    if (this.#filled === 0) return;
    const filled = this.#filled;
    this.#filled = 0;
    this.#output(this.#pane, this.#scratch.subarray(0, filled));
  }

  /** Decodes until the input or the room ends, and returns where it got to. */
  #decode(bytes: Buffer, from: number, to: number): number {
    const scratch = this.#scratch;
    let at = from;
    let filled = this.#filled;
    // Byte by byte: searching for the next backslash and copying up to it is slower where backslashes are frequent.
    while (at < to && filled < SCRATCH_BYTES) {
      const byte = bytes[at]!;
      if (byte !== BACKSLASH) {
        scratch[filled++] = byte;
        at += 1;
        continue;
      }
      if (at + 4 > to) throw new ControlStreamError('the output ends within an escaped byte');
      const high = bytes[at + 1]! - DIGIT_0;
      const middle = bytes[at + 2]! - DIGIT_0;
      const low = bytes[at + 3]! - DIGIT_0;
      if (high >>> 2 || middle >>> 3 || low >>> 3)
        throw new ControlStreamError('no byte follows a \\ in the output');
      scratch[filled++] = (high << 6) | (middle << 3) | low;
      at += 4;
    }
    this.#filled = filled;
    return at;
  }
}
