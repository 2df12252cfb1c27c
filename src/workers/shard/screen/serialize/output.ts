import { Pace } from '../../steps.js';
import type { XtermInternals } from '../xterm/internals.js';
import {
  type Attributes,
  asForgottenLink,
  colorCode,
  DEFAULT_ATTRIBUTES,
  eraseColor,
  hasExtended,
  hasUnderline,
  isConsistent,
  PROTECTED,
  type Sgr,
  sameAttributes,
  sgr,
} from './attributes.js';
import { LinkWriter } from './links.js';

/** Most cached colour changes. A picture has a new change in each cell, and caching them all costs ten times more. */
const MAX_KNOWN = 1024;

/** UTF-16 units that are joined into one part. */
const PART_UNITS = 64 * 1024;

/** Thrown when the output becomes longer than allowed. Nothing of the output is usable then. */
export class OutputTooLong extends Error {
  override readonly name = 'OutputTooLong';
}

/**
 * The sequences being written, and the state of a fresh terminal after them, as far as later sequences depend on it.
 * Callers keep track of the cursor's position themselves.
 */
export class Output {
  readonly core: XtermInternals;
  /** Descriptions of state that the result does not reproduce. */
  readonly losses = new Set<string>();
  /** Whether the saved cursor of the active buffer was overwritten as scratch space, so that it must be saved again. */
  usedSavedCursor = false;
  readonly #mostUnits: number;
  readonly #links: LinkWriter;
  readonly #known = new Map<string, Sgr>();
  /** Pace at which rows are written. */
  readonly pace = new Pace();
  /** Output before `#text`. */
  readonly #parts: string[] = [];
  #partsLength = 0;
  #text = '';
  #attributes: Attributes = DEFAULT_ATTRIBUTES;
  #endsInText = false;

  /** Writing throws {@link OutputTooLong} soon after there are more than `mostUnits` UTF-16 units. */
  constructor(core: XtermInternals, mostUnits = Number.POSITIVE_INFINITY) {
    this.core = core;
    this.#mostUnits = mostUnits;
    this.#links = new LinkWriter(core);
  }

  get attributes(): Attributes {
    return this.#attributes;
  }

  /** Whether the last thing written was a character, which a combining character would join. */
  get endsInText(): boolean {
    return this.#endsInText;
  }

  /** Writes sequences. If they change attributes, the caller must record that with `assumeAttributes`. */
  raw(sequences: string): void {
    if (sequences === '') return;
    this.#add(sequences);
    this.#endsInText = false;
  }

  print(characters: string): void {
    this.#add(characters);
    this.#endsInText = true;
  }

  #add(text: string): void {
    this.#text += text;
    this.pace.add(text.length);
    if (this.#text.length >= PART_UNITS) this.#endPart();
  }

  #endPart(): void {
    // Makes V8 join the small strings of this part now. Otherwise all strings would be joined at once in the end.
    this.#text.charCodeAt(0);
    this.#parts.push(this.#text);
    this.#partsLength += this.#text.length;
    this.#text = '';
    if (this.#partsLength > this.#mostUnits) throw new OutputTooLong(`more than ${this.#mostUnits} units`);
  }

  /** Moves the cursor; row and column are counted from 0. */
  moveTo(row: number, col: number): void {
    this.raw(row === 0 && col === 0 ? '\x1b[H' : `\x1b[${row + 1};${col + 1}H`);
  }

  /**
   * Sets the attributes of the text printed next. Inconsistent attributes take DECSC and DECRC: then the cursor must
   * not be past the right edge, and the margins must be as in a fresh terminal.
   */
  setAttributes(wanted: Attributes): void {
    const target = this.withKnownLink(wanted);
    if (sameAttributes(this.#attributes, target)) return;
    if (isConsistent(target)) this.#setConsistent(target);
    else this.#setByRestoring(target);
  }

  /** Records attributes that the caller has brought about by other means. */
  assumeAttributes(attributes: Attributes): void {
    this.#attributes = attributes;
  }

  /** Sets only the background colour that cells are erased with; `color` is packed. */
  setEraseColor(color: number): void {
    const { bg } = this.#attributes;
    if (eraseColor(bg) === color) return;
    this.raw(`\x1b[${colorCode(color, 40)}m`);
    this.#attributes = { ...this.#attributes, bg: (bg & ~0x3ffffff) | color };
  }

  /** Opens `link`, or for 0 closes the open link. That also puts the flag EXTENDED in step. */
  setLink(link: number): void {
    this.raw(this.#links.sequence(link, this.#partsLength + this.#text.length));
    const { style, bg } = this.#attributes;
    const isExtended = style !== 0 || link !== 0;
    this.#attributes = { ...this.#attributes, link, bg: isExtended ? bg | 0x10000000 : bg & ~0x10000000 };
  }

  /** Replaces a link whose target xterm has forgotten by its underline, as it cannot be opened; records the loss. */
  withKnownLink(wanted: Attributes): Attributes {
    if (wanted.link === 0 || this.#links.isKnown(wanted.link)) return wanted;
    this.losses.add('a link that xterm itself has forgotten');
    return asForgottenLink(wanted);
  }

  #setConsistent(target: Attributes): void {
    const from = this.#attributes;
    const { text, isReset } = this.#sgr(from, target);
    this.raw(text);
    const isProtected = !isReset && (from.bg & PROTECTED) !== 0;
    const wantsProtected = (target.bg & PROTECTED) !== 0;
    if (isProtected !== wantsProtected) this.raw(`\x1b[${wantsProtected ? 1 : 0}"q`);
    const leftColor = isReset ? 0 : from.underlineColor;
    const underlineColor = target.underlineColor < 0 ? leftColor : target.underlineColor;
    if (from.link !== target.link) this.setLink(target.link);
    const { fg, bg, style, link } = target;
    this.#attributes = { fg, bg, style, underlineColor, link };
  }

  /** Caches changes of plain colours and flags, since most output has few combinations. */
  #sgr(from: Attributes, to: Attributes): Sgr {
    const isPlain = from.style + from.link + from.underlineColor === 0 && to.style + to.link === 0;
    if (!isPlain || to.underlineColor > 0) return sgr(from, to);
    const key = `${from.fg} ${from.bg} ${to.fg} ${to.bg}`;
    const known = this.#known.get(key) ?? sgr(from, to);
    if (this.#known.size < MAX_KNOWN) this.#known.set(key, known);
    return known;
  }

  #setByRestoring(target: Attributes): void {
    this.setSavable(target);
    this.raw('\x1b7');
    this.setExtended(target);
    this.raw('\x1b8');
    this.usedSavedCursor = true;
    this.#attributes = { ...target, underlineColor: Math.max(0, target.underlineColor) };
  }

  /** Sets `fg` and `bg`, with the flags UNDERLINE and EXTENDED exactly as given, for DECSC to save. */
  setSavable({ fg, bg, link }: Attributes): void {
    const plain = { fg, bg, underlineColor: -1 };
    const underlined = hasUnderline(fg);
    if (hasExtended(bg)) {
      // Any link will do, because only its flag matters.
      this.setAttributes({
        style: underlined ? 1 : 0,
        link: underlined ? 0 : link || LinkWriter.any,
        ...plain,
      });
    } else if (underlined) {
      this.setAttributes({ style: 1, link: 0, ...plain, bg: bg | 0x10000000 });
      this.raw('\x1b7\x1b[24m\x1b8');
      this.#attributes = { ...this.#attributes, style: 0, fg, bg: bg | 0x10000000 };
      this.usedSavedCursor = true;
      this.setLink(0);
    } else {
      this.setAttributes({ style: 0, link: 0, ...plain });
    }
  }

  /** Sets the underline style, the underline colour and the link. All other attributes may become anything. */
  setExtended({ style, underlineColor, link }: Attributes): void {
    const bg = style !== 0 || link !== 0 ? 0x10000000 : 0;
    const fg = style !== 0 ? 0x10000000 : 0;
    this.setAttributes({ fg, bg, style, underlineColor: Math.max(0, underlineColor), link });
  }

  /** Returns all output. Throws {@link OutputTooLong}. */
  parts(): string[] {
    this.#endPart();
    return this.#links.withNames(this.#parts);
  }
}
