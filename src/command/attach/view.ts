import { setTimeout as pause } from 'node:timers/promises';
import type { Capture, TerminalSize } from '../../client/types.js';
import type { OuterTerminal } from '../outer/outer-terminal.js';
import { keyModesOf } from './key-modes.js';
import { Modes } from './modes.js';
import { withoutQuery } from './queries.js';
import { type Token, Tokenizer } from './tokens.js';

/** The terminal usually gets the new size at once; only a lasting difference of sizes is drawn. */
const CROP_AFTER_MS = 100;

/** Least time between two pictures of a screen of another size. */
const FRAME_MS = 30;

const SAVE_TITLE = '\x1b[22;0t';
const RESTORE_TITLE = '\x1b[23;0t';

/** First parameters of the window operations that push and pop a title. */
const PUSH_TITLE = 22;
const POP_TITLE = 23;

/** Cancels an unfinished sequence. */
const CANCEL = '\x18';

interface ViewOptions {
  outer: OuterTerminal;
  /** Name of the terminal in the title and in notes. */
  name: string;
  isReadOnly: boolean;
  /** Asks for the whole screen, which comes by `reset`. */
  redraw: () => void;
  /** Reads the rows of the screen; undefined if they cannot be read now. */
  capture: () => Promise<Capture | undefined>;
  /** Called with an error that cannot reach a caller. */
  onFault: (error: unknown) => void;
}

/**
 * Draws a terminal of the service in the outer terminal. With equal sizes the output goes there as it is, without queries;
 * otherwise pictures of the screen are drawn, cut to fit, since no terminal shows the output for another size rightly.
 */
export class View {
  readonly #options: ViewOptions;
  readonly #outer: OuterTerminal;
  #modes = new Modes();
  #tokens = new Tokenizer();
  #inner: TerminalSize | undefined;
  #size: TerminalSize;
  /**
   * `whole`: the output is drawn as it is. `cropped`: pictures are drawn. `waiting`: nothing is drawn before the next
   * screen.
   */
  #state: 'waiting' | 'whole' | 'cropped' = 'waiting';
  /** Whether the person's own text is on the screen, to be scrolled away before anything is drawn. */
  #isFirst = true;
  /** Whether the view draws in the outer terminal; otherwise that belongs to the person. */
  #isBegun = false;
  /** Titles that the program has pushed in the outer terminal, above the person's own. */
  #titles = 0;
  #cropTimer: NodeJS.Timeout | undefined;
  #isPictureDue = false;
  #isDrawing = false;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#outer = options.outer;
    this.#size = options.outer.size;
  }

  /** Begins to draw, at the start and after `leave`. */
  begin(): Promise<void> {
    this.#modes = new Modes();
    this.#state = 'waiting';
    this.#isFirst = true;
    this.#isBegun = true;
    this.#titles = 0;
    this.#size = this.#outer.size;
    return this.#outer.write(SAVE_TITLE);
  }

  /** Takes a whole screen. */
  reset(data: string, inner: TerminalSize): Promise<void> {
    const cancel = this.#tokens.isInside ? CANCEL : '';
    this.#tokens = new Tokenizer();
    this.#inner = inner;
    const screen = data.replace(/^\x1bc/, '');
    if (!this.#isFitting) {
      const text = cancel + this.#keyModes(this.#tokens.take(screen));
      this.#fit();
      return this.#outer.write(text);
    }
    clearTimeout(this.#cropTimer);
    const { cols, rows } = this.#size;
    let text = cancel + this.#modes.resetForScreen(cols);
    // The title may still report a lost connection.
    text += RESTORE_TITLE + SAVE_TITLE;
    // The lines above the cursor go to the scrollback of the outer terminal.
    if (this.#isFirst) text += `\r${'\n'.repeat(rows - 1)}`;
    this.#isFirst = false;
    if (screen.includes('\x1b[?47h')) text += '\x1b[?47h\x1b[H\x1b[J\x1b[?47l';
    text += `\x1b[H\x1b[J${this.#passed(this.#tokens.take(screen))}`;
    this.#state = 'whole';
    return this.#outer.write(text);
  }

  /** Takes output; resolves once the outer terminal has it. */
  output(data: string): Promise<void> {
    const tokens = this.#tokens.take(data);
    if (this.#state === 'whole') return this.#outer.write(this.#passed(tokens));
    this.#pictureDue();
    return this.#outer.write(this.#keyModes(tokens));
  }

  /** The terminal has another size, from here on in its output. */
  resized(inner: TerminalSize): void {
    this.#inner = inner;
    this.#fit();
  }

  /** The outer terminal has another size. */
  outerResized(): void {
    this.#size = this.#outer.size;
    if (this.#inner) this.#fit();
  }

  disconnected(): Promise<void> {
    if (this.#tokens.isInside) return Promise.resolve();
    const { cols, rows } = this.#size;
    const note = 'Waiting for the service; what you type is not sent'.slice(0, cols);
    // The screen that comes with the next connection replaces the note, and restores the cursor.
    const shown = rows > 1 ? `\x1b[?6l\x1b[${rows};1H\x1b[0;7m${note}\x1b[m` : '';
    return this.#outer.write(`${shown}\x1b]2;${this.#options.name}: waiting for the service\x07`);
  }

  bell(): void {
    // Within a string, BEL would end the string.
    if (!this.#tokens.isInside) this.#outer.write('\x07').catch(this.#options.onFault);
  }

  /** Ends drawing. Returns the sequences that reset the outer terminal and put its cursor on a free line. */
  leave(): string {
    clearTimeout(this.#cropTimer);
    // The outer terminal belongs to the person already, and may show the prompt of a shell.
    if (!this.#isBegun) return '';
    this.#isBegun = false;
    this.#state = 'waiting';
    const { isCursorLost } = this.#modes;
    let text = (this.#tokens.isInside ? CANCEL : '') + this.#modes.reset(this.#size.cols);
    this.#tokens = new Tokenizer();
    if (isCursorLost) text += `\x1b[${this.#size.rows};1H`;
    // Erases the rest of the picture below the cursor, which nothing updates any more.
    if (!this.#isFirst) text += '\r\n\x1b[J';
    return text + RESTORE_TITLE.repeat(this.#titles + 1);
  }

  get #isFitting(): boolean {
    return this.#inner?.cols === this.#size.cols && this.#inner.rows === this.#size.rows;
  }

  /** Chooses between output and pictures after a size has changed. */
  #fit(): void {
    clearTimeout(this.#cropTimer);
    if (this.#isFitting) {
      // Terminals reflow lines differently when their size changes, so the screen is drawn anew.
      this.#state = 'waiting';
      this.#options.redraw();
    } else if (this.#state === 'cropped') this.#pictureDue();
    else {
      this.#state = 'waiting';
      this.#cropTimer = setTimeout(() => this.#crop(), CROP_AFTER_MS);
    }
  }

  #crop(): void {
    this.#state = 'cropped';
    const enter = new Tokenizer().take('\x1b[?1049h\x1b[H\x1b[2J');
    const text = this.#modes.resetForScreen(this.#size.cols) + this.#passed(enter);
    this.#outer.write(text).catch(this.#options.onFault);
    this.#pictureDue();
  }

  #pictureDue(): void {
    this.#isPictureDue = true;
    if (this.#state === 'cropped' && !this.#isDrawing) this.#drawPictures().catch(this.#options.onFault);
  }

  async #drawPictures(): Promise<void> {
    this.#isDrawing = true;
    try {
      while (this.#isPictureDue && this.#state === 'cropped') {
        this.#isPictureDue = false;
        // Loaded only here: most sessions never draw a picture.
        const { drawCropped } = await import('./cropped.js');
        const capture = await this.#options.capture();
        const inner = this.#inner;
        if (!capture || !inner || this.#state !== 'cropped') continue;
        const picture = drawCropped({ capture, inner, outer: this.#size, note: this.#note(inner) });
        const show = this.#modes.isCursorHidden ? '' : '\x1b[?25h';
        await this.#outer.write(`\x1b[?2026h\x1b[?25l${picture}${show}\x1b[?2026l`);
        await pause(FRAME_MS);
      }
    } finally {
      this.#isDrawing = false;
    }
  }

  #note({ cols, rows }: TerminalSize): string {
    const { name, isReadOnly } = this.#options;
    return `${name} is ${cols}x${rows}${isReadOnly ? ', and you only watch it' : '; type to give it this size'}`;
  }

  /** Returns the part of the output that the outer terminal gets when the sizes are equal. */
  #passed(tokens: Token[]): string {
    let text = '';
    for (const token of tokens) {
      const passed = this.#titleStack(withoutQuery(token), token);
      if (passed !== '') this.#modes.take(token);
      text += passed;
    }
    return text;
  }

  /** Counts titles that are pushed; the person's own title, below them, is never popped. */
  #titleStack(passed: string, token: Token): string {
    if (token.kind !== 'csi' || token.csi.final !== 't' || token.csi.prefix + token.csi.intermediates !== '')
      return passed;
    const operation = Number.parseInt(token.csi.parameters, 10);
    if (operation === PUSH_TITLE) this.#titles++;
    if (operation !== POP_TITLE) return passed;
    if (this.#titles === 0) return RESTORE_TITLE + SAVE_TITLE;
    this.#titles--;
    return passed;
  }

  #keyModes(tokens: Token[]): string {
    const text = tokens.map(keyModesOf).join('');
    for (const token of new Tokenizer().take(text)) this.#modes.take(token);
    return text;
  }
}
