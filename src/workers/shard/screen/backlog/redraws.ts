import { RedrawScan } from './redraw-scan.js';

const scan = new RedrawScan();

/**
 * Finds output of one terminal that redraws the rows of the output directly before it. Of three such pieces in a row
 * the second can be left out, whatever was on the screen, unless only a part of the screen scrolls: the first one
 * brings the cursor to a row from which the others neither scroll nor meet the top, see {@link RedrawScan}. A piece may
 * also be several such redraws, as they come on a busy machine: each of them ends on the row on which it begins, so
 * they erase the same rows as one.
 */
export class Redraws {
  #size: { cols: number; rows: number };
  /** Skeleton of the last output, as of one redraw if there were several; undefined if the last output was no redraw. */
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
    const isRepeated = skeleton && before ? repeats(skeleton, before) : false;
    if (!isRepeated) this.#skeleton = skeleton && rootOf(skeleton).slice();
    return isRepeated;
  }
}

/** Returns the shortest beginning whose repetition is the skeleton. */
function rootOf(skeleton: Uint8Array): Uint8Array {
  for (let length = 1; length <= skeleton.length / 2; length++) {
    if (skeleton.length % length > 0) continue;
    const root = skeleton.subarray(0, length);
    if (repeats(skeleton, root)) return root;
  }
  return skeleton;
}

/** Returns whether a skeleton is a whole number of roots. */
function repeats(skeleton: Uint8Array, root: Uint8Array): boolean {
  const { length } = skeleton;
  if (length % root.length !== 0) return false;
  if (Buffer.compare(skeleton.subarray(0, root.length), root) !== 0) return false;
  return Buffer.compare(skeleton.subarray(root.length), skeleton.subarray(0, length - root.length)) === 0;
}
