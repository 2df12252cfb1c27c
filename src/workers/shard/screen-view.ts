import type { History } from './history.js';
import type { ReadCursor } from './read-cursor.js';
import type { KeyModes } from './screen/backlog/place.js';
import type { LazyScreen } from './screen/lazy-screen.js';
import type { Screen } from './screen/screen.js';
import type { SpareScreen } from './screen/spare-screen.js';

/**
 * The part of a terminal that a question needs: the place of its cursor and its modes, the non-empty lines of
 * scrollback and screen, the visible screen, or the whole screen. The less a question needs, the less of a flood must
 * be parsed for it.
 */
export type Need = 'place' | 'lines' | 'shown' | 'screen';

/** A screen's position in the output, and its cursor. */
export interface ScreenPlace {
  /** Bytes of output that the screen has taken. */
  position: number;
  /** Cursor before an unfinished sequence, so that the sequence can be read whole from there. */
  cursor: ReadCursor;
  modes: KeyModes;
  history: History;
}

/** A screen's place, and its non-empty lines, including scrollback. */
export interface ScreenLines extends ScreenPlace {
  lines: Pick<string[], 'length' | 'slice'>;
}

/** A screen, with its place and lines. */
export interface ScreenView extends ScreenLines {
  screen: Screen;
  /** Whether the screen is a shared one, which the next question of any terminal reuses. */
  isPassing: boolean;
}

export interface ViewSource {
  lazy: LazyScreen;
  position: number;
  history: History;
  /** Renders the visible part of a screen whose output is not parsed. */
  spare: SpareScreen;
}

/** Returns a view with the needed parts; undefined if held output must be parsed for them first. */
export function viewOf(need: Need, source: ViewSource): ScreenView | undefined {
  const told = toldOf(need, source) ?? (source.lazy.heldBytes === 0 ? {} : undefined);
  return told && new View(source, told);
}

/** Parts of a screen's state that are known without the screen. */
interface Told {
  cursor?: Omit<ReadCursor, 'position'>;
  modes?: KeyModes;
  lines?: string[];
  screen?: Screen;
}

function toldOf(need: Need, { lazy, spare }: ViewSource): Told | undefined {
  if (need === 'place') return lazy.findPlace();
  const held = lazy.heldBytes > 0 ? lazy.heldView : undefined;
  switch (need) {
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

/** View of a screen. While output is held, it throws for every part that `told` does not have. */
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

  get modes(): KeyModes {
    return this.#told.modes ?? this.screen.modes;
  }

  get lines(): ScreenLines['lines'] {
    return this.#told.lines ?? this.#lazy.screen.linesWithText();
  }

  get screen(): Screen {
    return this.#told.screen ?? this.#lazy.screen;
  }
}
