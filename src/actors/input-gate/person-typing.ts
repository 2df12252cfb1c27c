import { CR, ESC, LF } from '../../workers/ascii.js';
import { typedByKey } from '../keys/encoded-keys.js';

const CTRL_C = 0x03;
const CTRL_U = 0x15;

/** Ctrl+N, Ctrl+P, Ctrl+R and Ctrl+Y bring a line from the history or the kill ring. */
const RECALLS: ReadonlySet<number> = new Set([0x0e, 0x10, 0x12, 0x19]);

/** Introducers of strings, after ESC: OSC, DCS, APC, PM, SOS. No key sends one, except Alt with these characters. */
const STRINGS = ']P_^X';

/** Most characters of a sequence's parameters; the rest of a longer sequence counts as typed. */
const MAX_PARAMETERS = 64;

/** Bytes behind `CSI M`, the oldest mouse report. */
const MOUSE_BYTES = 3;

type State = 'ground' | 'escape' | 'csi' | 'ss3' | 'string' | 'string-escape' | 'mouse';

/**
 * Follows what a person types into one terminal: which bytes are keys, and whether there is a half-typed line. Keeps no
 * text. Reports that a terminal emulator sends by itself (cursor position, attributes, modes, focus, mouse, answers by
 * OSC and DCS) do not count as keys.
 */
export class PersonTyping {
  #state: State = 'ground';
  #parameters = '';
  #mouseBytes = 0;
  /** Bytes of the present string. */
  #length = 0;
  #isPasting = false;
  #hasDraft = false;
  #hasKey = false;

  /** Whether something was typed since the last Enter, Ctrl+C or Ctrl+U. */
  get hasDraft(): boolean {
    return this.#hasDraft;
  }

  /** Notes that the line was submitted or dropped by another writer. */
  clear(): void {
    this.#hasDraft = false;
  }

  /** Takes typed text, which may end within a sequence. Returns whether it contains a key. */
  feed(data: string): boolean {
    this.#hasKey = false;
    for (let index = 0; index < data.length; index++) this.#take(data.charCodeAt(index));
    if (data !== '') this.#endOfWrite();
    return this.#hasKey;
  }

  /** Counts a sequence that has only begun as Escape, or as Alt with its second character: emulators send reports whole. */
  #endOfWrite(): void {
    const hasBegun = {
      escape: true,
      csi: this.#parameters === '',
      ss3: true,
      string: this.#length === 0,
      ...{ ground: false, 'string-escape': false, mouse: false },
    };
    if (!hasBegun[this.#state]) return;
    this.#hasKey = true;
    if (this.#state === 'string') this.#state = 'ground';
  }

  #take(code: number): void {
    switch (this.#state) {
      case 'ground':
        this.#character(code);
        return;
      case 'escape':
        this.#escaped(code);
        return;
      case 'csi':
        this.#csi(code);
        return;
      case 'ss3':
        this.#state = 'ground';
        this.#cursorKey(String.fromCharCode(code));
        return;
      case 'mouse':
        if (++this.#mouseBytes === MOUSE_BYTES) this.#state = 'ground';
        return;
      case 'string-escape':
        this.#state = 'ground';
        if (code !== '\\'.charCodeAt(0)) this.#escaped(code);
        return;
      case 'string':
        this.#inString(code);
    }
  }

  #character(code: number): void {
    if (code === ESC) {
      this.#state = 'escape';
      return;
    }
    this.#hasKey = true;
    const isEnd = code === CR || code === LF || code === CTRL_C || code === CTRL_U;
    if (isEnd && !this.#isPasting) this.#hasDraft = false;
    else if (code >= 0x20 ? code !== 0x7f : this.#isPasting || RECALLS.has(code)) this.#hasDraft = true;
  }

  #escaped(code: number): void {
    const character = String.fromCharCode(code);
    this.#parameters = '';
    this.#length = 0;
    if (character === '[') this.#state = 'csi';
    else if (character === 'O') this.#state = 'ss3';
    else if (STRINGS.includes(character)) this.#state = 'string';
    else {
      // Alt with a key moves in the line or changes it, and Alt+Enter makes a new line: a draft stays what it was.
      this.#hasKey = true;
      this.#state = code === ESC ? 'escape' : 'ground';
    }
  }

  #csi(code: number): void {
    if (code >= 0x20 && code < 0x40 && this.#parameters.length < MAX_PARAMETERS) {
      this.#parameters += String.fromCharCode(code);
      return;
    }
    this.#state = 'ground';
    if (code < 0x40 || code > 0x7e) this.#character(code);
    else this.#sequence(this.#parameters, String.fromCharCode(code));
  }

  #sequence(parameters: string, final: string): void {
    if (final === 'M' && parameters === '') {
      this.#state = 'mouse';
      this.#mouseBytes = 0;
      return;
    }
    if (isReport(parameters, final)) return;
    if (final === '~' && parameters === '200') this.#isPasting = true;
    else if (final === '~' && parameters === '201') this.#isPasting = false;
    else {
      const typed = typedByKey(parameters, final);
      if (typed === undefined) this.#cursorKey(final);
      for (const character of typed ?? '') this.#character(character.charCodeAt(0));
    }
    this.#hasKey = true;
  }

  /** Up and down recall a line; the Enter of the keypad submits it; other keys leave it as it was. */
  #cursorKey(final: string): void {
    this.#hasKey = true;
    if (final === 'A' || final === 'B') this.#hasDraft = true;
    else if (final === 'M') this.#hasDraft = false;
  }

  /** No report contains Enter or Ctrl+C: a string with such a key in it was typed by a person all along. */
  #inString(code: number): void {
    this.#length++;
    if (code === ESC) this.#state = 'string-escape';
    else if (code === 0x07) this.#state = 'ground';
    else if (code === CR || code === LF || code === CTRL_C) {
      this.#state = 'ground';
      this.#character(code);
    }
  }
}

/** Returns whether an emulator sends this control sequence by itself, or for the mouse. */
function isReport(parameters: string, final: string): boolean {
  switch (final) {
    case 'R':
    case 'n':
    case 'c':
    case 't':
      return true;
    case 'y':
      return parameters.endsWith('$');
    case 'u':
      return parameters.startsWith('?');
    case 'I':
    case 'O':
      return parameters === '';
    case 'M':
    case 'm':
      return true;
    default:
      return false;
  }
}

/** Longest input that is looked through for a key; an emulator sends its reports one by one. */
const MAX_REPORTS_CHARS = 4_096;

/** Returns whether input holds a key: anything but what an emulator sends by itself, or for the mouse. */
export function holdsKey(data: string): boolean {
  return !data.startsWith('\x1b') || data.length > MAX_REPORTS_CHARS || new PersonTyping().feed(data);
}

/** A gained focus, or the mouse: an emulator sends these when a person acts. */
const BY_PERSON = /\x1b\[(?:I|M|<[\d;]*[Mm])/;

/** Returns whether input shows that somebody is at the terminal: a key, the mouse, or a focus that was gained. */
export function showsPerson(data: string): boolean {
  return data !== '' && (holdsKey(data) || BY_PERSON.test(data));
}
