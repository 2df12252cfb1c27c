import { randomInt } from 'node:crypto';
import type { ScreenRows } from '../../../../contract/screen-rows.js';
import { Pace, type Steps } from '../../steps.js';
import type { LineInternals, XtermInternals } from '../xterm/internals.js';
import { rowRuns } from './row-runs.js';

/** Bound of a copy's first frame number, which is random, so that a number of another copy is unknown. */
const FIRST_FRAMES = 2 ** 40;

interface RowCopy {
  /** The words of the cells, if they determine the row; otherwise the row is read anew each time. */
  words: Uint32Array | undefined;
  /** The runs of the row, as JSON. */
  json: string;
  /** Number of the frame in which the row changed last. */
  changedAt: number;
}

type Place = Pick<ScreenRows, 'cols' | 'rows' | 'alt' | 'cursor'>;

/** A copy of a screen's rows that knows which of them have changed since an earlier frame. */
export class RowCopies {
  /** Oldest frame on which later frames build. */
  #first: number;
  #last: number;
  #rows: RowCopy[] = [];
  #place: Place = { cols: 0, rows: 0, alt: false, cursor: [0, 0, false] };

  constructor() {
    this.#first = randomInt(FIRST_FRAMES);
    this.#last = this.#first;
  }

  /** Number of the last frame. */
  get last(): number {
    return this.#last;
  }

  /**
   * Makes the copy the same as the screen; in steps, between which nothing may be fed. Until the last step, frames show
   * the previous copy.
   */
  *take(core: XtermInternals, { cols, rows }: Pick<Place, 'cols' | 'rows'>): Steps<void> {
    const { active, alt } = core.buffers;
    const number = this.#last + 1;
    const place: Place = {
      cols,
      rows,
      alt: active === alt,
      // Before a wrap, the cursor is on the last column.
      cursor: [Math.min(active.x, cols - 1), active.y, !core.coreService.isCursorHidden],
    };
    const isResized = cols !== this.#place.cols || rows !== this.#place.rows;
    const rowCopies = isResized ? [] : [...this.#rows];
    let hasChanged = JSON.stringify(place) !== JSON.stringify(this.#place);
    const pace = new Pace();
    for (let row = 0; row < rows; row++) {
      const line = active.lines.get(active.ybase + row)!;
      const earlier = rowCopies[row];
      const copied = copyOf(line, cols, number, earlier);
      if (copied.json !== earlier?.json) hasChanged = true;
      rowCopies[row] = copied;
      if (pace.isOver(cols)) yield;
    }
    this.#rows = rowCopies;
    if (!hasChanged) return;
    this.#place = place;
    this.#last = number;
    if (isResized) this.#first = number;
  }

  /**
   * Returns the frame, as JSON, that makes the frame `since` the last one; all rows if `since` is unknown. Undefined if
   * nothing has changed.
   *
   * @param mostChars - of a longer frame only says that it is too large
   */
  frame(since: number | null, mostChars: number): string | undefined {
    if (since === this.#last) return undefined;
    const isKnown = since !== null && since >= this.#first && since < this.#last;
    const lines: string[] = [];
    let chars = 0;
    for (const [row, { json, changedAt }] of this.#rows.entries()) {
      if (isKnown ? changedAt <= since : json === '[]') continue;
      chars += json.length;
      if (chars > mostChars) break;
      lines.push(`[${row},${json}]`);
    }
    const isTooLarge = chars > mostChars;
    // The client draws nothing then, so that no later frame can build on this one.
    if (isTooLarge) this.#first = this.#last + 1;
    const head = { n: this.#last, from: isKnown ? since : null, ...this.#place };
    const start = JSON.stringify(isTooLarge ? { ...head, tooLarge: true } : head).slice(0, -1);
    return `${start},"lines":[${isTooLarge ? '' : lines.join()}]}`;
  }
}

/** Returns the copy of a row: the earlier one if the row is the same. */
function copyOf(line: LineInternals, cols: number, number: number, earlier: RowCopy | undefined): RowCopy {
  const words = line._data.subarray(0, cols * 3);
  if (earlier?.words && Buffer.compare(bytesOf(earlier.words), bytesOf(words)) === 0) return earlier;
  const { runs, areWordsAll } = rowRuns(line, cols);
  const json = JSON.stringify(runs);
  const changedAt = json === earlier?.json ? earlier.changedAt : number;
  return { words: areWordsAll ? words.slice() : undefined, json, changedAt };
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
