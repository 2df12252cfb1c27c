import type { Spill } from '../../kept.js';
import type { Cursor } from '../read-cursor.js';
import type { StoredScreen } from '../stored-screen.js';
import type { TrackedPlace } from './backlog/place.js';
import { Screen, type ScreenOptions } from './screen.js';
import { MIN_XTERM_COLS, widthOf } from './xterm/terminal.js';

export interface RestingScreenOptions extends Pick<ScreenOptions, 'scrollback' | 'onReply'> {
  /** Where the stored screen goes while the screen sleeps. */
  spill: Spill;
  /** Reports an error of the screen, which then begins anew, or of reading the stored screen. */
  fault: (error: unknown) => void;
}

/** A screen that can be put to sleep, so that only its stored form remains, and that begins anew after an error. */
export class RestingScreen {
  readonly #options: RestingScreenOptions;
  #stored: StoredScreen;
  #screen: Screen | undefined;
  /** The screen as it was put to sleep; a fresh screen before that. */
  #left: Pick<Screen, 'isForwardOnly' | 'hasMargins' | 'printPlace'> & { cursor: Cursor };

  constructor(options: RestingScreenOptions, stored: StoredScreen) {
    this.#options = options;
    this.#stored = stored;
    this.#left = {
      ...{ isForwardOnly: true, hasMargins: false },
      ...{ printPlace: freshPlace(stored), cursor: { row: 0, col: 0, altScreen: false } },
    };
    // A stored screen may end within a sequence, which only the live screen knows.
    if (!stored.isEmpty) this.awake();
  }

  get cols(): number {
    return this.#screen?.cols ?? this.#stored.cols;
  }

  get rows(): number {
    return this.#screen?.rows ?? this.#stored.rows;
  }

  /** The live screen; undefined while it sleeps. */
  get live(): Screen | undefined {
    return this.#screen;
  }

  /** See {@link Screen.isForwardOnly}. */
  get isForwardOnly(): boolean {
    return (this.#screen ?? this.#left).isForwardOnly;
  }

  /** See {@link Screen.hasMargins}. */
  get hasMargins(): boolean {
    return (this.#screen ?? this.#left).hasMargins;
  }

  /** See {@link Screen.cursor}. */
  get cursor(): Cursor {
    return this.#screen?.cursor() ?? this.#left.cursor;
  }

  /** See {@link Screen.printPlace}. */
  get printPlace(): TrackedPlace {
    return (this.#screen ?? this.#left).printPlace;
  }

  /** See {@link Screen.isAtRest}; true for a sleeping screen. */
  get isAtRest(): boolean {
    return this.#screen?.isAtRest ?? true;
  }

  /** Bytes to feed a fresh screen to get the sleeping screen; undefined if they cannot be read. */
  get stored(): Uint8Array | undefined {
    return this.#stored.readOr(this.#options.fault);
  }

  /** Returns the live screen, and makes it if it sleeps. */
  awake(): Screen {
    if (this.#screen) return this.#screen;
    const { cols, rows } = this.#stored;
    this.#screen = new Screen({ ...this.#options, cols, rows });
    // Through `change`, so that an unreadable stored screen leaves an empty screen and not a dead shard.
    this.change((screen) => screen.feed(this.#stored.read()));
    return this.#screen;
  }

  /**
   * Applies `change`. A screen that throws would throw again after each restart of the shard and take down all other
   * terminals of the shard, so the error is reported and the screen begins anew. Returns false then.
   */
  change(change: (screen: Screen) => void): boolean {
    const screen = this.awake();
    try {
      change(screen);
      return true;
    } catch (error) {
      this.#options.fault(error);
      const { cols, rows } = screen;
      this.#screen = new Screen({ ...this.#options, cols, rows });
      screen.dispose();
      return false;
    }
  }

  /** Disposes the live screen and keeps only `stored`, which must be an exact checkpoint of it. */
  sleep(stored: StoredScreen): void {
    const screen = this.awake();
    const { isForwardOnly, hasMargins, printPlace } = screen;
    this.#left = { isForwardOnly, hasMargins, printPlace, cursor: screen.cursor() };
    if (stored !== this.#stored) this.#stored.free();
    this.#stored = stored;
    stored.spill(this.#options.spill);
    this.#dispose();
  }

  /** Frees the stored and the live screen. */
  close(): void {
    this.#stored.free();
    this.#dispose();
  }

  #dispose(): void {
    this.#screen?.dispose();
    this.#screen = undefined;
  }
}

function freshPlace({ cols, rows }: StoredScreen): TrackedPlace {
  return {
    ...{ cols: Math.max(cols, MIN_XTERM_COLS), rows, shownCols: cols },
    ...{ row: 0, column: 0, hasStandardTabs: true, widthOf },
    modes: { bracketedPaste: false, applicationCursor: false },
  };
}
