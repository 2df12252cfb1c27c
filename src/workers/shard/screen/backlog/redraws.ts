import { RedrawScan } from './redraw-scan.js';

const scan = new RedrawScan();

/**
 * Finds output of one terminal that redraws the rows of the output directly before it. Of three such pieces in a row
 * the second can be left out, whatever was on the screen, unless only a part of the screen scrolls: the first one
 * brings the cursor to a row from which the others neither scroll nor meet the top, see {@link RedrawScan}.
 */
export class Redraws {
  #size: { cols: number; rows: number };
  /** See {@link RedrawScan}; undefined if the last output was no redraw. */
  #skeleton: Uint8Array | undefined;

  constructor(size: { cols: number; rows: number }) {
    this.#size = size;
  }

  /** Begins anew: the screen now has this size, and earlier output no longer counts. */
  begin(size: { cols: number; rows: number }): void {
    this.#size = size;
    this.#skeleton = undefined;
  }

  /** Whether the last piece of output was a redraw. */
  get isRedraw(): boolean {
    return this.#skeleton !== undefined;
  }

  /** Takes the next piece of output. Returns whether it redraws the rows of the piece directly before it. */
  repeats(bytes: Uint8Array): boolean {
    const skeleton = scan.scan(bytes, this.#size);
    const before = this.#skeleton;
    const isRepeated = skeleton && before ? Buffer.compare(skeleton, before) === 0 : false;
    if (!isRepeated) this.#skeleton = skeleton?.slice();
    return isRepeated;
  }
}
