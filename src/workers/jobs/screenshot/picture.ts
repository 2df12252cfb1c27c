import { type CellSize, cellSize } from './cell-size.js';
import type { TextStyle } from './fonts/fonts.js';
import { RuledLines } from './ruled-lines.js';
import { drawShape } from './shapes.js';
import type { Cell, Cursor, ShownScreen } from './shown-screen.js';
import type { DrawingKit } from './skia/kit.js';
import { Lettering } from './skia/lettering.js';
import { DrawingSurface } from './skia/surface.js';

/** Letters of the font that are as wide as a cell: Latin, Greek, Cyrillic. They are drawn a word at a time. */
const LETTER = /^[!-~¡-¬®-ɏΑ-ΡΣ-ωЀ-ѿ]$/;

/** Characters shown in colour, if the machine has a font for them. */
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;

/** Emoji look the same in all styles. */
const PLAIN: TextStyle = { isBold: false, isItalic: false };

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
export function drawPicture(kit: DrawingKit, screen: ShownScreen, hasCursor: boolean): Uint8Array {
  const size = cellSize(screen.cols, screen.rows);
  const surface = new DrawingSurface(kit.skia, screen.cols * size.width, screen.rows * size.height);
  try {
    const lettering = new Lettering(kit.skia, kit.fonts, surface, size.width);
    try {
      drawCells(screen, surface, lettering, size, hasCursor);
    } finally {
      lettering.dispose();
    }
    return surface.png();
  } finally {
    surface.dispose();
  }
}

function drawCells(
  screen: ShownScreen,
  surface: DrawingSurface,
  lettering: Lettering,
  size: CellSize,
  hasCursor: boolean,
): void {
  surface.color = screen.styles.plain.background;
  surface.fillRect(0, 0, screen.cols * size.width, screen.rows * size.height);
  const pen = new Pen(surface, lettering, size);
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
  readonly #surface: DrawingSurface;
  readonly #lettering: Lettering;
  readonly #size: CellSize;
  /** Pixels from the top of a row to the line that letters stand on. */
  readonly #baseline: number;
  readonly #lines: RuledLines;

  constructor(surface: DrawingSurface, lettering: Lettering, size: CellSize) {
    this.#surface = surface;
    this.#lettering = lettering;
    this.#size = size;
    const { ascent, descent } = lettering;
    this.#baseline = Math.round((size.height - ascent - descent) / 2 + ascent);
    this.#lines = new RuledLines(surface, size, this.#baseline);
  }

  /** @param background - colour that the row is filled with already */
  row(cells: readonly Cell[], index: number, background: string): void {
    const top = index * this.#size.height;
    const { width, height } = this.#size;
    for (const [from, to] of spansOf(cells, ({ style }) => style.background)) {
      const color = cells[from]!.style.background;
      if (color === background) continue;
      this.#surface.color = color;
      this.#surface.fillRect(from * width, top, (to - from) * width, height);
    }
    for (const [from, to] of spansOf(cells, ({ style }) => style)) {
      const { style } = cells[from]!;
      this.#surface.alpha = style.isDim ? DIM : 1;
      if (!style.isHidden) this.#text(cells, from, to, top);
      this.#lines.draw(style, { left: from * width, right: to * width, top });
    }
    this.#surface.alpha = 1;
  }

  /** Draws an underline or a bar cursor; a block is drawn as part of its cell. */
  cursor({ row, col, style }: Cursor, span: number, color: string): void {
    const { width, height } = this.#size;
    const thickness = Math.max(1, Math.round(width / 5));
    const [x, y] = [col * width, row * height];
    this.#surface.color = color;
    if (style === 'bar') this.#surface.fillRect(x, y, thickness, height);
    else this.#surface.fillRect(x, y + height - thickness, span * width, thickness);
  }

  /** Draws the text of cells that have the same style. */
  #text(cells: readonly Cell[], from: number, to: number, top: number): void {
    const { style } = cells[from]!;
    this.#surface.color = style.color;
    for (let col = from; col < to; ) {
      const end = this.#endOfWord(cells, col, to);
      if (end > col && this.#size.width < MIN_LETTER_WIDTH) {
        this.#bar(col, end, top);
        col = end;
      } else if (end > col) {
        const word = cells.slice(col, end).map(({ text }) => text);
        this.#lettering.word(word.join(''), style, col * this.#size.width, top + this.#baseline);
        col = end;
      } else this.#character(cells[col]!, col++, top);
    }
  }

  #endOfWord(cells: readonly Cell[], from: number, to: number): number {
    const isLetter = ({ text, style }: Cell) => LETTER.test(text) && this.#lettering.hasLetter(text, style);
    let end = from;
    while (end < to && isLetter(cells[end]!)) end++;
    return end;
  }

  /** Draws a bar in place of letters that would be too small. */
  #bar(from: number, to: number, top: number): void {
    const { width, height } = this.#size;
    const thickness = Math.ceil(height / 2);
    this.#surface.fillRect(
      from * width,
      top + Math.floor((height - thickness) / 2),
      (to - from) * width,
      thickness,
    );
  }

  /** Draws a character of any font and width: centred in its cells, narrowed if it is too wide. */
  #character({ text, span, style }: Cell, col: number, top: number): void {
    if (text === '' || text === ' ') return;
    const shown = LOOKALIKES[text] ?? text;
    const { width, height } = this.#size;
    const [x, room] = [col * width, span * width];
    if (drawShape(this.#surface, shown.codePointAt(0)!, { x, y: top, width: room, height })) return;
    if (width < MIN_LETTER_WIDTH) {
      this.#bar(col, col + span, top);
      return;
    }
    const isEmoji = EMOJI.test(shown);
    this.#lettering.character(shown, isEmoji ? PLAIN : style, x, top + this.#baseline, room, isEmoji);
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
