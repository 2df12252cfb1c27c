import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type CellSize, cellSize } from './cell-size.js';
import type { CellStyle } from './cell-style.js';
import { registerFonts, type Typeface, typefaceFor } from './fonts.js';
import { RuledLines } from './ruled-lines.js';
import { drawShape } from './shapes.js';
import type { Cell, Cursor, ShownScreen } from './shown-screen.js';

/** Letters of the font that are as wide as a cell: Latin, Greek, Cyrillic. They are drawn a word at a time. */
const LETTER = /^[!-~¡-¬®-ɏΑ-ΡΣ-ωЀ-ѿ]$/;

/** Characters shown in colour, if the machine has a font for them. */
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;

/** Symbols on agents' screens that the fonts lack, and similar characters that the fonts have. */
const LOOKALIKES: Record<string, string> = {
  ...{ '⏺': '●', '⎿': '└', '⏵': '▶', '⏴': '◀', '⏶': '▲', '⏷': '▼', '⏹': '■', '⏸': '‖' },
};

/** Narrower cells, in pixels, show bars in place of letters, which take long to draw and would be unreadable. */
const MIN_LETTER_WIDTH = 4;

/** Opacity of dim text. */
const DIM = 0.6;

/**
 * Returns the picture of a screen as PNG, without any border.
 *
 * @param hasCursor - false draws no cursor even if the screen has one
 */
export function drawPicture(screen: ShownScreen, hasCursor: boolean): Uint8Array {
  registerFonts();
  const size = cellSize(screen.cols, screen.rows);
  const canvas = createCanvas(screen.cols * size.width, screen.rows * size.height);
  try {
    drawCells(screen, canvas.getContext('2d'), size, hasCursor);
    return canvas.encodeSync('png');
  } finally {
    // Frees the pixels. V8 does not count them, so that it would see no need to collect the canvas soon.
    canvas.width = 1;
    canvas.height = 1;
  }
}

function drawCells(screen: ShownScreen, context: SKRSContext2D, size: CellSize, hasCursor: boolean): void {
  context.fillStyle = screen.styles.plain.background;
  context.fillRect(0, 0, screen.cols * size.width, screen.rows * size.height);
  const pen = new Pen(context, size);
  const cursor = hasCursor ? screen.cursor : undefined;
  for (let index = 0; index < screen.rows; index++) {
    const cells = screen.row(index);
    const isBlock = cursor?.row === index && cursor.style === 'block';
    if (isBlock) putUnderCursor(cells, cursor, screen);
    pen.row(cells, index, screen.styles.plain.background);
    if (cursor?.row === index && !isBlock)
      pen.cursor(cursor, cells[cursor.col]?.span ?? 1, screen.styles.cursorColor);
  }
}

/** Applies a block cursor to its cell; both halves of a wide character are under it. */
function putUnderCursor(cells: Cell[], { col }: Cursor, { styles }: ShownScreen): void {
  const end = col + (cells[col]?.span ?? 1);
  for (const cell of cells.slice(col, end)) cell.style = styles.underCursor(cell.style);
  // The same object for both halves, so that they are drawn together.
  if (end - col === 2) cells[col + 1]!.style = cells[col]!.style;
}

/** Draws rows of cells. */
class Pen {
  readonly #context: SKRSContext2D;
  readonly #size: CellSize;
  readonly #typeface: Typeface;
  readonly #lines: RuledLines;
  #font = '';

  constructor(context: SKRSContext2D, size: CellSize) {
    this.#context = context;
    this.#size = size;
    this.#typeface = typefaceFor(context, size);
    this.#lines = new RuledLines(context, size, this.#typeface.baseline);
    context.letterSpacing = this.#typeface.letterSpacing;
  }

  /** @param background - colour that the row is filled with already */
  row(cells: readonly Cell[], index: number, background: string): void {
    const top = index * this.#size.height;
    const { width, height } = this.#size;
    for (const [from, to] of spansOf(cells, ({ style }) => style.background)) {
      const color = cells[from]!.style.background;
      if (color === background) continue;
      this.#context.fillStyle = color;
      this.#context.fillRect(from * width, top, (to - from) * width, height);
    }
    for (const [from, to] of spansOf(cells, ({ style }) => style)) {
      const { style } = cells[from]!;
      this.#context.globalAlpha = style.isDim ? DIM : 1;
      if (!style.isHidden) this.#text(cells, from, to, top);
      this.#lines.draw(style, { left: from * width, right: to * width, top });
    }
    this.#context.globalAlpha = 1;
  }

  /** Draws an underline or a bar cursor; a block is drawn as part of its cell. */
  cursor({ row, col, style }: Cursor, span: number, color: string): void {
    const { width, height } = this.#size;
    const thickness = Math.max(1, Math.round(width / 5));
    const [x, y] = [col * width, row * height];
    this.#context.fillStyle = color;
    if (style === 'bar') this.#context.fillRect(x, y, thickness, height);
    else this.#context.fillRect(x, y + height - thickness, span * width, thickness);
  }

  /** Draws the text of cells that have the same style. */
  #text(cells: readonly Cell[], from: number, to: number, top: number): void {
    const { style } = cells[from]!;
    this.#use(style);
    for (let col = from; col < to; ) {
      const end = endOfWord(cells, col, to);
      if (end > col && this.#size.width < MIN_LETTER_WIDTH) {
        this.#bar(col, end, top);
        col = end;
      } else if (end > col) {
        const word = cells.slice(col, end).map(({ text }) => text);
        this.#context.fillText(word.join(''), col * this.#size.width, top + this.#typeface.baseline);
        col = end;
      } else this.#character(cells[col]!, col++, top);
    }
  }

  /** Draws a bar in place of letters that would be too small. */
  #bar(from: number, to: number, top: number): void {
    const { width, height } = this.#size;
    const thickness = Math.ceil(height / 2);
    this.#context.fillRect(
      from * width,
      top + Math.floor((height - thickness) / 2),
      (to - from) * width,
      thickness,
    );
  }

  #use({ isBold, isItalic, color }: CellStyle): void {
    const { plain, bold, italic, boldItalic } = this.#typeface.fonts;
    this.#setFont(isBold ? (isItalic ? boldItalic : bold) : isItalic ? italic : plain);
    this.#context.fillStyle = color;
  }

  #setFont(font: string): void {
    // Reading `font` of the context takes longer than drawing a word.
    if (font !== this.#font) this.#context.font = font;
    this.#font = font;
  }

  /** Draws a character of any font and width: centred in its cells, narrowed if it is too wide. */
  #character({ text, span }: Cell, col: number, top: number): void {
    if (text === '' || text === ' ') return;
    const shown = LOOKALIKES[text] ?? text;
    const { width, height } = this.#size;
    const [x, room] = [col * width, span * width];
    if (drawShape(this.#context, shown.codePointAt(0)!, { x, y: top, width: room, height })) return;
    if (width < MIN_LETTER_WIDTH) {
      this.#bar(col, col + span, top);
      return;
    }
    const font = this.#font;
    if (EMOJI.test(shown)) this.#setFont(this.#typeface.emoji);
    const measured = this.#context.measureText(shown).width;
    const start = Math.max(x, x + (room - measured) / 2);
    this.#context.fillText(shown, start, top + this.#typeface.baseline, room);
    this.#setFont(font);
  }
}

/** Yields the columns from and to (exclusive) of each range of neighbours with the same `of`. */
function* spansOf(cells: readonly Cell[], of: (cell: Cell) => unknown): Generator<[number, number]> {
  for (let from = 0; from < cells.length; ) {
    const common = of(cells[from]!);
    let to = from + 1;
    while (to < cells.length && of(cells[to]!) === common) to++;
    yield [from, to];
    from = to;
  }
}

function endOfWord(cells: readonly Cell[], from: number, to: number): number {
  let end = from;
  while (end < to && LETTER.test(cells[end]!.text)) end++;
  return end;
}
