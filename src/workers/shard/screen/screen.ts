import type { Terminal } from '@xterm/headless';
import type { Steps } from '../steps.js';
import { Intake } from './backlog/intake.js';
import type { KeyModes, TrackedPlace } from './backlog/place.js';
import { Colors } from './serialize/colors.js';
import { hasStandardTabStops } from './serialize/modes.js';
import { OutputTooLong } from './serialize/output.js';
import { type Reduction, reducedSteps } from './serialize/reduced.js';
import { serializeScreen, serializeSteps, serializeWithoutRows } from './serialize/serialize.js';
import { LinesWithText, rowTexts, type Shown, shownText } from './text/lines.js';
import type { RowCopies } from './text/row-copies.js';
import { styledRowSteps } from './text/styled-rows.js';
import { internals, type XtermInternals } from './xterm/internals.js';
import { answerQueries } from './xterm/queries.js';
import { resizeTerminal } from './xterm/resize.js';
import { ScreenMemory } from './xterm/screen-memory.js';
import { createTerminal, widthOf } from './xterm/terminal.js';

/** Bytes parsed as one write: xterm has no bound of its own, and its buffers grow with the largest write. */
const SLICE_BYTES = 64 * 1024;

export interface ScreenOptions {
  cols: number;
  rows: number;
  /** Lines kept above the screen. */
  scrollback: number;
  /** Gets the answers to the program's queries, to be typed into its terminal. If absent, nothing is answered. */
  onReply?: (data: string) => void;
}

/** The headless screen of one terminal. */
export class Screen {
  readonly memory: ScreenMemory;
  readonly #term: Terminal;
  readonly #core: XtermInternals;
  readonly #colors: Colors;
  readonly #intake: Intake;
  #cols: number;
  #rows: number;

  constructor(options: ScreenOptions) {
    this.#cols = options.cols;
    this.#rows = options.rows;
    this.#term = createTerminal(options.cols, options.rows, options.scrollback);
    this.#core = internals(this.#term);
    this.#intake = new Intake(this.#core, options.onReply);
    this.memory = new ScreenMemory(this.#core, this.#intake);
    const reply = (data: string) => this.#intake.reply(data);
    this.#colors = new Colors(this.#term.parser, reply);
    answerQueries(this.#term, reply);
  }

  get cols(): number {
    return this.#cols;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Parses all of `bytes` before it returns. Throws when called from `onReply`. */
  feed(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      this.begin(bytes.subarray(from, from + SLICE_BYTES));
      while (this.step());
    }
  }

  /** Takes at most 64 KiB of output, which {@link step} parses. Until that is done, do not use the screen otherwise. */
  begin(bytes: Uint8Array): void {
    this.#intake.begin(bytes);
  }

  /** Parses for a few milliseconds; true while there is more. Throws when called from `onReply`. */
  step(): boolean {
    return this.#intake.step();
  }

  /** Resizes the screen and rewraps lines as xterm does. xterm itself has two columns even if `cols` is 1. */
  resize(cols: number, rows: number): void {
    this.#cols = cols;
    this.#rows = rows;
    this.memory.unpack();
    resizeTerminal(this.#term, cols, rows);
  }

  /**
   * Returns the bytes at the end of the fed output that belong to an unfinished escape sequence or UTF-8 character, at
   * most 64 KiB and 3 bytes. In place of a longer sequence, returns a sequence that swallows the remainder. Feed the
   * bytes after {@link serialize}.
   */
  pending(): Uint8Array {
    return this.#intake.tail.pending();
  }

  /** Number of output bytes in {@link pending}; more than its length when bytes were left out. */
  get pendingLength(): number {
    return this.#intake.tail.length;
  }

  /** Returns escape sequences that give a fresh terminal of this size the same screen, without pending bytes. */
  serialize({ scrollback }: { scrollback: boolean }): string {
    return this.#colors.serialize() + serializeScreen(this.#core, scrollback).text;
  }

  /** Whether there are links. xterm forgets a link when its rows are gone; serializing loses which rows these are. */
  get hasLinks(): boolean {
    return this.#core._oscLinkService._dataByLinkId.size > 0;
  }

  /** Whether the output ends outside of escape sequences and characters. */
  get isAtRest(): boolean {
    return this.#intake.tail.length === 0;
  }

  /** Whether only a part of the screen scrolls. */
  get hasMargins(): boolean {
    const { active } = this.#core.buffers;
    return active.scrollTop !== 0 || active.scrollBottom !== this.#core.rows - 1;
  }

  /**
   * Whether plain text will continue line by line from the cursor to the bottom, and then scroll the whole screen. Its
   * result then depends on nothing that was printed before, except colours.
   */
  get isForwardOnly(): boolean {
    const { buffers, coreService, optionsService, cols, rows, _inputHandler } = this.#core;
    const { normal, active } = buffers;
    const { origin, wraparound, reverseWraparound } = coreService.decPrivateModes;
    const isWhole = active === normal && !this.hasMargins && normal.lines.length === normal.ybase + rows;
    const isUsual = wraparound && !reverseWraparound && !optionsService.rawOptions.convertEol;
    const isPlain = isUsual && !origin && !coreService.modes.insertMode;
    // A character of no width can take xterm's cursor past where it is about to wrap.
    const isWithin = active.x <= cols;
    return (
      this.isAtRest && isWhole && isPlain && isWithin && _inputHandler._curAttrData.extended._urlId === 0
    );
  }

  /**
   * Like {@link serialize} with scrollback, but without the text on the rows: enough for a screen that
   * {@link isForwardOnly} if later output scrolls all rows out. Undefined when anything else would be lost.
   */
  serializeWithoutRows(): string | undefined {
    const { text, losses } = serializeWithoutRows(this.#core);
    return losses.length === 0 ? this.#colors.serialize() + text : undefined;
  }

  /** Whether letters and tabs act as on a fresh screen: the character set is ASCII, and all tab stops are standard. */
  get isPlainlyWritten(): boolean {
    const { buffers, cols, _charsetService } = this.#core;
    return !_charsetService.charset && hasStandardTabStops(buffers.active, cols);
  }

  /** Place where text continues, on a screen that {@link isForwardOnly}. */
  get printPlace(): TrackedPlace {
    const { buffers, cols, rows } = this.#core;
    const { active } = buffers;
    return {
      ...{ cols, rows, shownCols: this.#cols },
      ...{ row: active.y, column: active.x },
      hasStandardTabs: hasStandardTabStops(active, cols),
      widthOf,
      modes: this.modes,
    };
  }

  /** Line of the saved cursor, counted from the first line kept; it stays when lines scroll out. 0 if none is saved. */
  get savedLine(): number {
    return this.#core.buffers.normal.savedY;
  }

  set savedLine(line: number) {
    this.#core.buffers.normal.savedY = line;
  }

  /**
   * Like {@link serialize}, but in parts and in steps, between which nothing may be fed. `losses` describe the state that the
   * parts do not reproduce exactly. Stops and returns undefined when the result takes more than `mostUnits` UTF-16 units.
   */
  *serializeSteps(
    { scrollback }: { scrollback: boolean },
    mostUnits?: number,
  ): Steps<{ parts: string[]; losses: string[] } | undefined> {
    try {
      const { parts, losses } = yield* serializeSteps(this.#core, scrollback, mostUnits);
      return { parts: [this.#colors.serialize(), ...parts], losses };
    } catch (error) {
      if (error instanceof OutputTooLong) return undefined;
      throw error;
    }
  }

  /** Like {@link serializeSteps}, but reduced. Colours that the program has changed are kept. */
  *reducedSteps(reduction: Reduction): Steps<{ parts: string[]; losses: string[] }> {
    return { parts: [this.#colors.serialize(), ...(yield* reducedSteps(this.#core, reduction))], losses: [] };
  }

  /**
   * Returns the non-empty logical lines of the active buffer, scrollback first, each made on request. Valid until
   * anything else is parsed.
   */
  linesWithText(): LinesWithText {
    return new LinesWithText(this.#core.buffers.active);
  }

  /**
   * Returns the text with SGR of each row of the active buffer, with `scrollback` rows above the screen first; in steps,
   * between which nothing may be fed.
   */
  styledRowSteps({ scrollback }: { scrollback: boolean }): Steps<string[]> {
    const { active } = this.#core.buffers;
    return styledRowSteps(active, scrollback ? 0 : active.ybase);
  }

  /** Brings a copy of the rows up to date; in steps, between which nothing may be fed. */
  copySteps(copy: RowCopies): Steps<void> {
    return copy.take(this.#core, this);
  }

  /** Returns the text of each row of the screen, trailing blanks cut. */
  rowTexts(): string[] {
    return rowTexts(this.#core.buffers.active);
  }

  /** Returns the lines on the screen, including trailing blanks that the program wrote, and the text before the cursor. */
  shownText(): Shown {
    return shownText(this.#core.buffers.active);
  }

  /** Title that the program has set; empty if it set none. */
  get title(): string {
    return this.#core._inputHandler._windowTitle;
  }

  get modes(): KeyModes {
    const { bracketedPasteMode, applicationCursorKeys } = this.#core.coreService.decPrivateModes;
    return { bracketedPaste: bracketedPasteMode, applicationCursor: applicationCursorKeys };
  }

  /** Returns the cursor, its row and column counted from 0; a cursor about to wrap is on the last column. */
  cursor(): { row: number; col: number; altScreen: boolean } {
    const { active, alt } = this.#core.buffers;
    return { row: active.y, col: Math.min(active.x, this.#cols - 1), altScreen: active === alt };
  }

  dispose(): void {
    this.#term.dispose();
  }
}
