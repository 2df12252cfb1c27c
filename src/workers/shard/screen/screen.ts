import type { Terminal } from '@xterm/headless';
import { drain, type Steps } from '../steps.js';
import { Colors } from './colors.js';
import { Intake } from './intake.js';
import { internals, type XtermInternals } from './internals.js';
import { LinesWithText, logicalLines, rowTexts, type Shown, shownText } from './lines.js';
import { hasStandardTabStops } from './modes.js';
import { OutputTooLong } from './output.js';
import { answerQueries } from './queries.js';
import { type Reduction, reducedSteps } from './reduced.js';
import { resizeTerminal } from './resize.js';
import { serializeScreen, serializeSteps, serializeWithoutRows } from './serialize.js';
import { styledRowSteps } from './styled-rows.js';
import { createTerminal } from './terminal.js';

/** Parsed in one go; xterm has no bound of its own, and its buffers grow with the largest write. */
const SLICE_BYTES = 64 * 1024;

/** Of a screen without rows. */
const EMPTY_BYTES = 150 * 1024;

export interface ScreenOptions {
  cols: number;
  rows: number;
  /** Lines kept above the screen. */
  scrollback: number;
  /** Gets the answers to the program's queries, to be typed into its terminal. Without it nothing is answered. */
  onReply?: (data: string) => void;
}

/** Escape sequences that give the screen again, and in words what they do not give back exactly. */
export interface Serialized {
  text: string;
  losses: string[];
}

/** The headless screen of one terminal. */
export class Screen {
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

  /** Memory that it takes: three words a cell, and what xterm takes with one row. */
  get bytes(): number {
    const { normal, alt } = this.#core.buffers;
    return EMPTY_BYTES + 12 * this.#cols * (normal.lines.length + alt.lines.length);
  }

  /** Parses all of `bytes` before it returns. Throws when called from `onReply`. */
  feed(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      this.begin(bytes.subarray(from, from + SLICE_BYTES));
      while (this.step());
    }
  }

  /** Takes at most 64 KiB of output, which {@link step} parses. Until that is done, nothing else may be asked of the screen. */
  begin(bytes: Uint8Array): void {
    this.#intake.begin(bytes);
  }

  /** Parses for a few milliseconds; true while there is more. Throws when called from `onReply`. */
  step(): boolean {
    return this.#intake.step();
  }

  /** Rewraps lines as xterm does. xterm itself has at least two columns, whatever `cols` says. */
  resize(cols: number, rows: number): void {
    this.#cols = cols;
    this.#rows = rows;
    resizeTerminal(this.#term, cols, rows);
  }

  /**
   * Bytes at the end of what was fed that belong to an unfinished escape sequence or UTF-8 character, at most
   * 64 KiB and 3 bytes; of a longer sequence, one that swallows what is still to come of it. To be fed after
   * {@link serialize}.
   */
  pending(): Uint8Array {
    return this.#intake.tail.pending();
  }

  /** Bytes of the output that {@link pending} stands for; more than its length when something was left out. */
  get pendingLength(): number {
    return this.#intake.tail.length;
  }

  /** Escape sequences that give a fresh terminal of this size the same screen, without what is pending. */
  serialize(options: { scrollback: boolean }): string {
    return this.#serialize(options.scrollback).text;
  }

  /** xterm forgets a link when rows go that it once was on; which these were is not given back. */
  get hasLinks(): boolean {
    return this.#core._oscLinkService._dataByLinkId.size > 0;
  }

  /** It is within no escape sequence and no character. */
  get isAtRest(): boolean {
    return this.#intake.tail.length === 0;
  }

  /**
   * Plain text goes on line after line, from wherever the cursor is to the bottom, and from then on by scrolling the
   * whole screen: what it leaves depends on nothing that was printed before, save colours.
   */
  get isForwardOnly(): boolean {
    const { buffers, coreService, rows, _inputHandler } = this.#core;
    const { normal, active } = buffers;
    const { origin, wraparound } = coreService.decPrivateModes;
    const isWhole =
      active === normal &&
      normal.scrollTop === 0 &&
      normal.scrollBottom === rows - 1 &&
      normal.lines.length === normal.ybase + rows;
    const isPlain = wraparound && !origin && !coreService.modes.insertMode;
    return this.isAtRest && isWhole && isPlain && _inputHandler._curAttrData.extended._urlId === 0;
  }

  /**
   * Like {@link serialize} with scrollback, for one that {@link isForwardOnly}, without what is on its rows: enough when
   * they are scrolled out by what follows. Undefined when something else would be lost.
   */
  serializeWithoutRows(): string | undefined {
    const { text, losses } = serializeWithoutRows(this.#core);
    return losses.length === 0 ? this.#colors.serialize() + text : undefined;
  }

  /** Letters and tabs are what they are on a fresh screen: no other character set is in force, no tab stop set or cleared. */
  get isPlainlyWritten(): boolean {
    const { buffers, cols, _charsetService } = this.#core;
    return !_charsetService.charset && hasStandardTabStops(buffers.active, cols);
  }

  /** Line of the saved cursor, counted from the first that is kept, which it keeps when lines go; 0 when none was saved. */
  get savedLine(): number {
    return this.#core.buffers.normal.savedY;
  }

  set savedLine(line: number) {
    this.#core.buffers.normal.savedY = line;
  }

  /**
   * Like {@link serialize} in parts, made in steps between which nothing may be fed; undefined when it takes more than
   * `mostUnits` UTF-16 units, at no more cost.
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

  /** Like {@link serializeSteps}, with so much less in it. Colours that the program has changed are kept. */
  *reducedSteps(reduction: Reduction): Steps<{ parts: string[]; losses: string[] }> {
    return { parts: [this.#colors.serialize(), ...(yield* reducedSteps(this.#core, reduction))], losses: [] };
  }

  /** What {@link serialize} would not give back exactly, in words; empty nearly always. */
  losses(options: { scrollback: boolean }): string[] {
    return this.#serialize(options.scrollback).losses;
  }

  /** Non-empty logical lines, scrollback first, of the buffer that shows. */
  lines(): string[] {
    return logicalLines(this.#core.buffers.active);
  }

  /** The same, each made when it is asked for, before anything else is parsed. */
  linesWithText(): LinesWithText {
    return new LinesWithText(this.#core.buffers.active);
  }

  /** Text with SGR of each row of the buffer that shows; with `scrollback` the rows above the screen first. */
  styledRows(options: { scrollback: boolean }): string[] {
    return drain(this.styledRowSteps(options));
  }

  /** The same in steps, between which nothing may be fed. */
  styledRowSteps({ scrollback }: { scrollback: boolean }): Steps<string[]> {
    const { active } = this.#core.buffers;
    return styledRowSteps(active, scrollback ? 0 : active.ybase);
  }

  /** Text of each row of the screen, trailing blanks cut. */
  rowTexts(): string[] {
    return rowTexts(this.#core.buffers.active);
  }

  /** The lines that show, with trailing blanks where they were written. */
  shownText(): Shown {
    return shownText(this.#core.buffers.active);
  }

  /** As the program has set it; empty when it has not. */
  get title(): string {
    return this.#core._inputHandler._windowTitle;
  }

  get modes(): { bracketedPaste: boolean; applicationCursor: boolean } {
    const { bracketedPasteMode, applicationCursorKeys } = this.#core.coreService.decPrivateModes;
    return { bracketedPaste: bracketedPasteMode, applicationCursor: applicationCursorKeys };
  }

  /** Row and column count from 0; a cursor about to wrap stands on the last column. */
  cursor(): { row: number; col: number; altScreen: boolean } {
    const { active, alt } = this.#core.buffers;
    return { row: active.y, col: Math.min(active.x, this.#cols - 1), altScreen: active === alt };
  }

  dispose(): void {
    this.#term.dispose();
  }

  #serialize(scrollback: boolean): Serialized {
    const { text, losses } = serializeScreen(this.#core, scrollback);
    return { text: this.#colors.serialize() + text, losses };
  }
}
