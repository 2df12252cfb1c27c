import { Pace } from '../steps.js';
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
import type { XtermInternals } from './internals.js';
import { LinkWriter } from './links.js';

/** Combinations of colours kept at hand. A picture has one for each cell, and keeping them all costs ten times more. */
const MAX_KNOWN = 1024;

/** Units that are joined at once. */
const PART_UNITS = 64 * 1024;

/** What is being written has become longer than it may; nothing of it is of use. */
export class OutputTooLong extends Error {
  override readonly name = 'OutputTooLong';
}

/**
 * The sequences being written, and the state that they have brought a fresh terminal to as far as later ones
 * depend on it. Positions are the callers' business.
 */
export class Output {
  readonly core: XtermInternals;
  /** What the result does not reproduce, in words. */
  readonly losses = new Set<string>();
  /** The saved cursor of the active buffer was used as scratch, and no longer is what it was. */
  usedSavedCursor = false;
  readonly #mostUnits: number;
  readonly #links: LinkWriter;
  readonly #known = new Map<string, Sgr>();
  /** Of rows that are written. */
  readonly pace = new Pace();
  /** What was written before `#text`. */
  readonly #parts: string[] = [];
  #partsLength = 0;
  #text = '';
  #attributes: Attributes = DEFAULT_ATTRIBUTES;
  #endsInText = false;

  /** Throws {@link OutputTooLong} soon after there are more than `mostUnits` UTF-16 units. */
  constructor(core: XtermInternals, mostUnits = Number.POSITIVE_INFINITY) {
    this.core = core;
    this.#mostUnits = mostUnits;
    this.#links = new LinkWriter(core);
  }

  get attributes(): Attributes {
    return this.#attributes;
  }

  /** The last thing written was a character, to which a combining one would be added. */
  get endsInText(): boolean {
    return this.#endsInText;
  }

  /** Sequences that change no attribute. */
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
    // Makes one piece of memory of it now: of many small ones, all would be joined in the end, at once.
    this.#text.charCodeAt(0);
    this.#parts.push(this.#text);
    this.#partsLength += this.#text.length;
    this.#text = '';
    if (this.#partsLength > this.#mostUnits) throw new OutputTooLong(`more than ${this.#mostUnits} units`);
  }

  /** Counted from 0. */
  moveTo(row: number, col: number): void {
    this.raw(row === 0 && col === 0 ? '\x1b[H' : `\x1b[${row + 1};${col + 1}H`);
  }

  /**
   * Makes these the attributes of what is printed next. Inconsistent ones take DECSC and DECRC: then the cursor
   * must stand left of the right edge, with the margins of a fresh terminal.
   */
  setAttributes(wanted: Attributes): void {
    const target = this.withKnownLink(wanted);
    if (sameAttributes(this.#attributes, target)) return;
    if (isConsistent(target)) this.#setConsistent(target);
    else this.#setByRestoring(target);
  }

  /** Takes note of attributes that came about otherwise. */
  assumeAttributes(attributes: Attributes): void {
    this.#attributes = attributes;
  }

  /** Only the colour that cells are erased with, packed. */
  setEraseColor(color: number): void {
    const { bg } = this.#attributes;
    if (eraseColor(bg) === color) return;
    this.raw(`\x1b[${colorCode(color, 40)}m`);
    this.#attributes = { ...this.#attributes, bg: (bg & ~0x3ffffff) | color };
  }

  /** Opens the link, 0 closes; also brings the flags in step. */
  setLink(link: number): void {
    this.raw(this.#links.sequence(link, this.#partsLength + this.#text.length));
    const { style, bg } = this.#attributes;
    const isExtended = style !== 0 || link !== 0;
    this.#attributes = { ...this.#attributes, link, bg: isExtended ? bg | 0x10000000 : bg & ~0x10000000 };
  }

  /** A link whose target is gone cannot be opened again. */
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

  /** Colours come and go in few combinations, so each is worked out once. */
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

  /** Brings `fg` and `bg` to those of `target`, with both flags as they are there, for DECSC to keep. */
  setSavable({ fg, bg, link }: Attributes): void {
    const plain = { fg, bg, underlineColor: -1 };
    const underlined = hasUnderline(fg);
    if (hasExtended(bg)) {
      // Any link will do, it is the flag that is wanted.
      this.setAttributes({
        ...plain,
        style: underlined ? 1 : 0,
        link: underlined ? 0 : link || LinkWriter.any,
      });
    } else if (underlined) {
      this.setAttributes({ ...plain, bg: bg | 0x10000000, style: 1, link: 0 });
      this.raw('\x1b7\x1b[24m\x1b8');
      this.#attributes = { ...this.#attributes, style: 0, fg, bg: bg | 0x10000000 };
      this.usedSavedCursor = true;
      this.setLink(0);
    } else {
      this.setAttributes({ ...plain, style: 0, link: 0 });
    }
  }

  /** Underline style and colour and the link of `target`; what becomes of the rest does not matter. */
  setExtended({ style, underlineColor, link }: Attributes): void {
    const bg = style !== 0 || link !== 0 ? 0x10000000 : 0;
    const fg = style !== 0 ? 0x10000000 : 0;
    this.setAttributes({ fg, bg, style, underlineColor: Math.max(0, underlineColor), link });
  }

  /** All that was written. Throws {@link OutputTooLong}. */
  parts(): string[] {
    this.#endPart();
    return this.#links.withNames(this.#parts);
  }
}
