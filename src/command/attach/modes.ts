import { RESETS, type State, tabStops } from './mode-resets.js';
import type { Csi, Token } from './tokens.js';

/** Private modes that are on by default: autowrap, repeated keys, a visible cursor. */
const ON_BY_DEFAULT: ReadonlySet<number> = new Set([7, 8, 25]);

/** ANSI modes that are on by default: no local echo. */
const ANSI_ON_BY_DEFAULT: ReadonlySet<number> = new Set([12]);

/** Private modes that switch to the alternate screen. */
const ALTERNATE: ReadonlySet<number> = new Set([47, 1047, 1049]);

/** The alternate-screen mode that saves the cursor. */
const SAVING_ALTERNATE = 1049;

/** Saves the cursor; there is no state to reset. */
const SAVE_CURSOR = 1048;

const ORIGIN = 6;
const SIDE_MARGINS = 69;

/**
 * Private modes that the service's screens set again. The service does not know other modes, so they keep their state
 * when a screen is drawn anew.
 */
const KEPT_BY_SCREENS: ReadonlySet<number> = new Set([
  1, 6, 7, 9, 12, 25, 45, 47, 66, 69, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047, 1049, 2004, 2026,
]);

/** Tracks the modes that the output has set in the outer terminal, so that exactly these are reset. */
export class Modes {
  readonly #privates = new Set<number>();
  readonly #ansi = new Set<number>();
  readonly #states = new Set<State>();
  /** xterm's key options (modifyOtherKeys is 4) and key formats that are set. */
  readonly #keyOptions = new Set<string>();
  /** Entries that were pushed to kitty's keyboard stacks: of the normal and of the alternate screen. */
  #pushed: [number, number] = [0, 0];
  /** Whether kitty's flags were set without a push, on each of the screens. */
  #flagged: [boolean, boolean] = [false, false];
  /** Whether the normal and the alternate screen have margins. In some terminals both screens share their margins. */
  #margins: [boolean, boolean] = [false, false];
  /** Whether origin mode was on at any time: restoring a cursor can restore it. */
  #hasOrigin = false;
  #hasTabStops = false;
  #alternate: number | undefined;

  get isAlternate(): boolean {
    return this.#alternate !== undefined;
  }

  get isCursorHidden(): boolean {
    return this.#privates.has(25);
  }

  /** Whether a reset leaves the cursor at a place unrelated to the text on the normal screen. */
  get isCursorLost(): boolean {
    // Only 1049 saves the cursor.
    const isLost = this.isAlternate ? this.#alternate !== SAVING_ALTERNATE : this.#margins[0];
    return isLost || this.#hasOrigin;
  }

  /** Notes the modes that a piece of output sets. The outer terminal has received that output. */
  take(token: Token): void {
    if (token.kind === 'csi') this.#csi(token.csi);
    else if (token.kind === 'escape') this.#escape(token.intermediates, token.final);
    else if (token.kind === 'string') this.#string(token.introducer, token.content);
    else if (/[\x0e\x0f]/.test(token.raw)) this.#states.add('charsets');
  }

  /** Returns the sequences that reset everything that a new screen sets itself; the screen can then be drawn. */
  resetForScreen(cols: number): string {
    return this.#reset(cols, (mode) => KEPT_BY_SCREENS.has(mode));
  }

  /** Returns the sequences that reset everything; see `isCursorLost` for the cursor. */
  reset(cols: number): string {
    const keys = this.#resetKeys();
    return keys + this.#reset(cols, () => true);
  }

  #reset(cols: number, isReset: (mode: number) => boolean): string {
    // While synchronized output holds updates back, nothing would be shown.
    let text = this.#privates.delete(2026) ? RESETS.synchronized : '';
    // Setting margins takes the cursor home.
    if (this.#margins[this.#shown]) text += '\x1b[r';
    if (this.#alternate !== undefined) text += this.#leaveAlternate(this.#alternate);
    if (this.#hasOrigin) text += '\x1b[?6l';
    this.#margins = [false, false];
    this.#hasOrigin = false;
    if (this.#hasTabStops) text += tabStops(cols);
    this.#hasTabStops = false;
    for (const state of this.#states) text += RESETS[state];
    this.#states.clear();
    for (const mode of this.#ansi) text += `\x1b[${mode}${ANSI_ON_BY_DEFAULT.has(mode) ? 'h' : 'l'}`;
    this.#ansi.clear();
    for (const mode of [...this.#privates].filter(isReset)) {
      text += `\x1b[?${mode}${ON_BY_DEFAULT.has(mode) ? 'h' : 'l'}`;
      this.#privates.delete(mode);
    }
    return text;
  }

  #leaveAlternate(mode: number): string {
    this.#alternate = undefined;
    // Leaving restores the attributes from when the screen was entered.
    if (mode === SAVING_ALTERNATE) this.#states.add('attributes').add('charsets');
    return `\x1b[?${mode}l${this.#margins[0] ? '\x1b7\x1b[r\x1b8' : ''}`;
  }

  get #shown(): 0 | 1 {
    return this.isAlternate ? 1 : 0;
  }

  #resetKeys(): string {
    let text = '';
    for (const option of this.#keyOptions) text += `\x1b[>${option}`;
    this.#keyOptions.clear();
    const shown = this.#shown;
    text += this.#resetKitty(shown);
    const hidden = this.#resetKitty(shown === 1 ? 0 : 1);
    // Each screen has a stack of its own, which can be reached while the screen is shown.
    if (hidden !== '') text += shown === 1 ? `\x1b[?47l${hidden}\x1b[?47h` : `\x1b[?47h${hidden}\x1b[?47l`;
    return text;
  }

  #resetKitty(screen: 0 | 1): string {
    const popped = this.#pushed[screen] > 0 ? `\x1b[<${this.#pushed[screen]}u` : '';
    const cleared = this.#flagged[screen] ? '\x1b[=0u' : '';
    this.#pushed[screen] = 0;
    this.#flagged[screen] = false;
    return popped + cleared;
  }

  #csi({ prefix, parameters, intermediates, final }: Csi): void {
    const numbers = parameters.split(/[;:]/).map(Number);
    switch (`${prefix}${intermediates}${final}`) {
      case '?h':
      case '?l':
        for (const mode of numbers) this.#private(mode, final === 'h');
        break;
      // XTRESTORE sets modes to saved values, which are unknown here.
      case '?r':
        for (const mode of numbers) if (!ALTERNATE.has(mode)) this.#privates.add(mode);
        break;
      case 'h':
      case 'l':
        for (const mode of numbers)
          change(this.#ansi, mode, (final === 'h') !== ANSI_ON_BY_DEFAULT.has(mode));
        break;
      case 'm':
        change(this.#states, 'attributes', !/^[0;]*$/.test(parameters));
        break;
      case 'r':
      case 's':
        // With parameters, `s` sets the side margins.
        if (final === 'r' || parameters !== '') this.#margins[this.#shown] = parameters !== '';
        break;
      case 'g':
      case '?W':
        this.#hasTabStops = true;
        break;
      case ' q':
        change(this.#states, 'cursorStyle', numbers[0] !== 0);
        break;
      case '"q':
        change(this.#states, 'protection', numbers[0] === 1);
        break;
      case '!p':
        this.#softReset();
        break;
      case '>m':
      case '>f':
        if (numbers.length > 1) this.#keyOptions.add(`${numbers[0]}${final}`);
        else this.#keyOptions.delete(`${numbers[0]}${final}`);
        break;
      case '>n':
        this.#keyOptions.add(`${numbers[0]}m`);
        break;
      default:
        if (final === 'u' && intermediates === '') this.#kitty(prefix, numbers[0]!);
    }
  }

  #private(mode: number, isOn: boolean): void {
    if (mode === SAVE_CURSOR) return;
    if (mode === SAVING_ALTERNATE && !isOn) this.#states.add('attributes').add('charsets');
    if (ALTERNATE.has(mode)) this.#alternate = isOn ? mode : undefined;
    else change(this.#privates, mode, isOn !== ON_BY_DEFAULT.has(mode));
    if (mode === ORIGIN) this.#hasOrigin ||= isOn;
    if (mode === SIDE_MARGINS && isOn) this.#margins = [true, true];
  }

  #kitty(prefix: string, number: number): void {
    const screen = this.#shown;
    if (prefix === '>') this.#pushed[screen]++;
    else if (prefix === '<') this.#pushed[screen] = Math.max(0, this.#pushed[screen] - Math.max(1, number));
    else if (prefix === '=') this.#flagged[screen] = true;
  }

  #escape(intermediates: string, final: string): void {
    if (intermediates === '') {
      if (final === 'c') this.#hardReset();
      else if (final === 'H') this.#hasTabStops = true;
      else if (final === '=') this.#states.add('keypad');
      else if (final === '>') this.#states.delete('keypad');
      else if ('no|}~'.includes(final)) this.#states.add('charsets');
      // DECRC brings back attributes and character sets, and the origin mode.
      else if (final === '8') this.#states.add('attributes').add('charsets');
    } else if (intermediates === ' ' && 'FG'.includes(final))
      change(this.#states, 'eightBitControls', final === 'G');
    else if (/^[()*+./-]/.test(intermediates)) this.#states.add('charsets');
  }

  #string(introducer: string, content: string): void {
    if (introducer !== ']') return;
    const [code = '', first = '', second = ''] = content.split(';');
    if (code === '4') this.#states.add('palette');
    else if (code === '10' || code === '11' || code === '12') this.#states.add('colors');
    else if (code === '8') change(this.#states, 'link', second !== '');
    else if (code === '22') change(this.#states, 'pointer', first !== '');
    else if (code === '9' && first === '4') change(this.#states, 'progress', second !== '0');
  }

  /** DECSTR: everything that it does not reset stays noted. */
  #softReset(): void {
    for (const mode of [1, 6, 7, 25, 66, 69]) this.#privates.delete(mode);
    this.#ansi.delete(4);
    this.#margins[this.#shown] = false;
    for (const state of ['attributes', 'charsets', 'keypad', 'protection'] as const)
      this.#states.delete(state);
  }

  /** RIS: some terminals leave single modes as they are, so these modes stay noted. */
  #hardReset(): void {
    this.#margins = [false, false];
    this.#hasOrigin = false;
    this.#hasTabStops = false;
    this.#alternate = undefined;
  }
}

function change<Value>(values: Set<Value>, value: Value, isChanged: boolean): void {
  if (isChanged) values.add(value);
  else values.delete(value);
}
