import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Canvas, ScreenPainter } from '../../dashboard/src/screens/paint.js';
import { PALETTES } from '../../dashboard/src/screens/palette.js';
import { ScreenModel } from '../../dashboard/src/screens/screen-model.js';
import type { ScreenRows } from '../../src/contract/screen-rows.js';
import { RowCopies } from '../../src/workers/shard/screen/text/row-copies.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { drain } from '../../src/workers/shard/steps.js';
import { Bare } from '../support/screen-pair.js';
import { session } from '../support/screen-streams.js';

/** Width of a character at a font size of 1 px. */
const CELL = 0.6;

/** A canvas that keeps painted items until something is painted over them. */
class Paper {
  readonly width: number;
  readonly height: number;
  /** Painted items by the line of pixels on which they begin. */
  readonly lines = new Map<number, string[]>();
  fillStyle = '';
  font = '';
  textBaseline = '';
  globalAlpha = 1;
  #moved: string[] = [];

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
  }

  /** The canvas as the painter expects it. */
  get canvas(): Canvas {
    return { context: this, width: this.width, height: this.height };
  }

  measureText(text: string): { width: number } {
    const size = Number(/([\d.]+)px/.exec(this.font)![1]);
    return { width: [...text].length * size * CELL };
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    if (x === 0 && y === 0 && height === this.height) this.lines.clear();
    else if (x === 0 && width === this.width) this.#wipe(y, y + height);
    this.#add(y, `rectangle ${x} ${width} ${height}`);
  }

  fillText(text: string, x: number, y: number): void {
    this.#add(y, `text ${x} ${text}`);
  }

  save(): void {
    this.#moved = ['moved'];
  }

  translate(x: number, y: number): void {
    this.#moved.push(`${x} ${y}`);
  }

  scale(x: number): void {
    this.#moved.push(String(x));
  }

  restore(): void {
    this.#moved = [];
  }

  #wipe(from: number, to: number): void {
    for (const y of this.lines.keys()) if (y >= from && y < to) this.lines.delete(y);
  }

  #add(y: number, what: string): void {
    // A stretched text has the place of its stretching.
    const at = this.#moved[1] === undefined ? y : Number(this.#moved[1].split(' ')[1]);
    const style = `${this.fillStyle} ${this.font} ${this.globalAlpha} ${this.#moved.join(' ')}`;
    this.lines.set(at, [...(this.lines.get(at) ?? []), `${what} ${style}`]);
  }
}

const whole = (model: ScreenModel) => ({ top: 0, rows: model.rows, cols: model.cols });

/** Returns a paper on which a new painter has painted all rows. */
function paintedAnew(model: ScreenModel, { width, height }: Paper): Paper {
  const paper = new Paper(width, height);
  new ScreenPainter(paper.canvas, PALETTES.dark).paint(model, undefined, whole(model));
  return paper;
}

describe.each([
  ['of letters', 900, 600],
  ['of blocks', 60, 40],
])('a tile %s', (_, width, height) => {
  test('shows the same whether it was painted row by row or all at once', () => {
    const looks = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(session, looks, ({ size, before, after }, when) => {
        const bare = new Bare(size, 5);
        const copies = new RowCopies();
        const model = new ScreenModel();
        const paper = new Paper(width, height);
        const painter = new ScreenPainter(paper.canvas, PALETTES.dark);
        let base: number | null = null;
        try {
          for (const [index, step] of [...before, ...after].entries()) {
            bare.do(step);
            drain(copies.take(internals(bare.term), { cols: bare.term.cols, rows: bare.term.rows }));
            const json = copies.frame(base, 1e9);
            if (json !== undefined) {
              const frame = JSON.parse(json) as ScreenRows;
              base = frame.n;
              model.apply({ terminalId: 't', ...frame });
            }
            if (!when[index % when.length]) continue;
            painter.paint(model, model.takeChanged(painter), whole(model));
            const anew = paintedAnew(model, paper);
            // A new painter has also painted the paper itself, so lines at y 0 are left out.
            const rows = (each: Paper) => [...each.lines].filter(([y]) => y > 0).sort(([a], [b]) => a - b);
            expect(rows(paper)).toEqual(rows(anew));
          }
        } finally {
          bare.dispose();
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a model', () => {
  const frame = (part: Partial<ScreenRows>) => ({
    ...{ terminalId: 't', n: 1, from: null, cols: 10, rows: 2, alt: false, lines: [] },
    ...{ cursor: [0, 0, true] as [number, number, boolean] },
    ...part,
  });

  test('takes no frame that builds on one it has not got', () => {
    const model = new ScreenModel();
    model.apply(frame({ n: 5, from: 4, lines: [[0, ['left over']]] }));
    expect([model.cols, model.lines]).toEqual([0, []]);
  });

  test('blanks the rows that a whole frame leaves out', () => {
    const model = new ScreenModel();
    model.apply(
      frame({
        lines: [
          [0, ['one']],
          [1, ['two']],
        ],
      }),
    );
    model.apply(frame({ n: 2, lines: [[1, ['three']]] }));
    expect(model.lines).toEqual([[], ['three']]);
  });

  test('tells each painter what has changed since it painted', () => {
    const model = new ScreenModel();
    const [first, second] = [{}, {}];
    model.apply(frame({ lines: [[0, ['one']]] }));
    expect(model.takeChanged(first)).toBeUndefined();
    model.apply(frame({ n: 2, from: 1, lines: [[1, ['two']]], cursor: [0, 1, true] }));
    expect(model.takeChanged(first)).toEqual(new Set([0, 1]));
    expect(model.takeChanged(first)).toEqual(new Set());
    expect(model.takeChanged(second)).toBeUndefined();
    model.apply(frame({ n: 3 }));
    expect([model.takeChanged(first), model.takeChanged(second)]).toEqual([undefined, undefined]);
  });
});

test('direction marks of a program do not reach the canvas', () => {
  const model = new ScreenModel();
  model.apply({
    ...{ terminalId: 't', n: 1, from: null, cols: 20, rows: 1, alt: false, cursor: [0, 0, false] },
    lines: [[0, [['\u202erm -rf\u202c', -1, -1, 0, 6]]]],
  });
  const texts = [...paintedAnew(model, new Paper(900, 40)).lines.values()].flat();
  expect(texts.find((each) => each.startsWith('text'))).toMatch(/^text 0 rm -rf /);
});
