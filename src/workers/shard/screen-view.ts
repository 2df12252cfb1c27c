import type { History } from './history.js';
import type { ReadCursor } from './read-cursor.js';
import type { LazyScreen } from './screen/lazy-screen.js';
import type { Screen } from './screen/screen.js';
import type { SpareScreen } from './screen/spare-screen.js';

/**
 * What a question needs of a terminal: where its cursor stands, the lines with text of scrollback and screen, what shows,
 * or all of its screen. Of a terminal that floods, the less that is the less has to be parsed for it.
 */
export type Need = 'place' | 'lines' | 'shown' | 'screen';

/** Where a screen stands. */
export interface ScreenPlace {
  /** Bytes of output that it has taken. */
  position: number;
  /** Before a sequence that is not finished, so that it can be read whole from there. */
  cursor: ReadCursor;
  history: History;
}

/** ... and its lines that have text, scrollback and all. */
export interface ScreenLines extends ScreenPlace {
  lines: Pick<string[], 'length' | 'slice'>;
}

/** A screen, and where it stands. */
export interface ScreenView extends ScreenLines {
  screen: Screen;
  /** The next question of any terminal uses the screen for itself. */
  isPassing: boolean;
}

export interface ViewSource {
  lazy: LazyScreen;
  position: number;
  history: History;
  /** For what shows of one that is not parsed. */
  spare: SpareScreen;
}

/** What is needed of a screen; undefined where what it holds has to be parsed for that first. */
export function viewOf(need: Need, source: ViewSource): ScreenView | undefined {
  if (source.lazy.heldBytes === 0) return new View(source, {});
  const told = toldOf(need, source);
  return told && new View(source, told);
}

/** What the output that a screen holds tells of it. */
interface Told {
  cursor?: Omit<ReadCursor, 'position'>;
  lines?: string[];
  screen?: Screen;
}

function toldOf(need: Need, { lazy, spare }: ViewSource): Told | undefined {
  const held = lazy.heldView;
  switch (need) {
    case 'place': {
      const cursor = held?.cursor;
      return cursor && { cursor };
    }
    case 'lines': {
      const lines = held?.lines;
      return (
        lines && { lines: lines.lines, cursor: { row: lazy.rows - 1, col: lines.col, altScreen: false } }
      );
    }
    case 'shown': {
      const screen = held?.shownOn(spare);
      return screen && { screen };
    }
    case 'screen':
      return undefined;
  }
}

/** What it was not told of a screen that is not parsed, it throws for. */
class View implements ScreenView {
  readonly position: number;
  readonly history: History;
  readonly #lazy: LazyScreen;
  readonly #told: Told;

  constructor({ lazy, position, history }: ViewSource, told: Told) {
    this.position = position;
    this.history = history;
    this.#lazy = lazy;
    this.#told = told;
  }

  get isPassing(): boolean {
    return this.#told.screen !== undefined;
  }

  get cursor(): ReadCursor {
    const { position } = this;
    if (this.#told.cursor) return { position, ...this.#told.cursor };
    const { screen } = this;
    return { position: position - screen.pendingLength, ...screen.cursor() };
  }

  get lines(): ScreenLines['lines'] {
    return this.#told.lines ?? this.#lazy.screen.linesWithText();
  }

  get screen(): Screen {
    return this.#told.screen ?? this.#lazy.screen;
  }
}
