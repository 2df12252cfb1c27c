import { usageError } from '../exit-codes.js';

/** The keys that detach if none are given. */
export const DEFAULT_DETACH_KEYS = 'ctrl-\\,d';

/** Environment variable that sets the keys that detach for all calls. */
export const DETACH_KEYS_VARIABLE = 'AUTO_TERMINAL_DETACH_KEYS';

/**
 * Returns the keys that detach: the keys of the option, of the environment, or the default keys. Throws a usage error
 * that names the source of wrong keys. An empty variable counts as unset: otherwise no key would detach.
 */
export function detachKeysOf(env: NodeJS.ProcessEnv, given?: string): string {
  const keys = given ?? (env[DETACH_KEYS_VARIABLE] || DEFAULT_DETACH_KEYS);
  parseDetachKeys(keys, given === undefined ? DETACH_KEYS_VARIABLE : '--detach-keys');
  return keys;
}

/** A key as the person presses it: a character, with or without Ctrl. */
export interface Key {
  /** In lower case if Ctrl is held. */
  character: string;
  isCtrl: boolean;
}

/** A named key has more than one character. */
const NAMED: Readonly<Record<string, string>> = {
  space: ' ',
  enter: '\r',
  tab: '\t',
  esc: '\x1b',
  del: '\x7f',
};

/** Bits of a modifier in the sequences of keys, where 1 is added. */
const SHIFT = 1;
const CTRL = 4;
/** Caps lock and num lock, which are no part of a key. */
const LOCKS = 64 + 128;

/** Numbers of keys that are modifiers alone, in kitty's protocol; the locks are among them. */
const isModifierKey = (code: number) =>
  (code >= 57_441 && code <= 57_454) || (code >= 57_358 && code <= 57_360);

/** An incomplete control sequence at the end of a read. */
const INCOMPLETE = /\x1b(?:\[[0-9;:]{0,60})?$/;

/** A control sequence of one key: in kitty's form, or in the form of modifyOtherKeys. */
const KEY_SEQUENCE = /^\x1b\[(?:([0-9:]+)(?:;([0-9:]*))?(?:;[0-9:]*)?u|27;([0-9]+);([0-9]+)~)/;

/**
 * Reads keys in docker's syntax: `ctrl-p,ctrl-q`, `ctrl-\,d`, `a`. `none` and an empty text mean that no keys detach.
 * Throws a usage error that begins with `source`, where the text comes from.
 */
export function parseDetachKeys(text: string, source = '--detach-keys'): Key[] {
  if (text === '' || text === 'none') return [];
  return text
    .trim()
    .split(/\s*,\s*|\s+/)
    .map((key) => parseKey(key, source));
}

function parseKey(text: string, source: string): Key {
  const [, ctrl, name = ''] = /^(ctrl[-+]|\^)?(.+)$/i.exec(text) ?? [];
  const character = NAMED[name.toLowerCase()] ?? name;
  const isCtrl = ctrl !== undefined;
  const isKey = isCtrl ? /^[a-z@[\\\]^_ ]$/i.test(character) : /^[\x09\x0d\x1b-\x7f]$/.test(character);
  if (!isKey) {
    const fix =
      'Give keys as in ctrl-p,ctrl-q or ctrl-\\,d: a character, or ctrl- and one of a-z @ [ \\ ] ^ _';
    throw usageError(`${source}: ${JSON.stringify(text)} is no key`, fix);
  }
  return { character: isCtrl ? character.toLowerCase() : character, isCtrl };
}

/** Result of a piece of typed text. */
export interface Typed {
  /** Input for the program. */
  text: string;
  isDetached: boolean;
}

/** One key of the input, or several characters that are no key of interest. */
interface Stroke {
  raw: string;
  /** Keys that the stroke may mean, with modifiers; empty if it is no key of interest. */
  keys: Key[];
  /** Whether it is the release of a key, or a modifier alone. */
  isSilent: boolean;
}

/**
 * Finds the detach keys in typed input, however the reads cut it, and in each form in which a terminal sends keys. Keys
 * that begin like the detach keys are held until the next key decides. The first key, typed twice, is sent once.
 */
export class DetachKeys {
  readonly #keys: readonly Key[];
  /** Keys that match so far, and the releases between them. */
  #matched: Stroke[] = [];
  #count = 0;
  #incomplete = '';

  constructor(keys: readonly Key[]) {
    this.#keys = keys;
  }

  /** Whether the beginning of a sequence is held, which may be the Escape key. Flush it if nothing follows soon. */
  get isIncomplete(): boolean {
    return this.#incomplete !== '';
  }

  /** Takes the next piece of typed input. Input after the detach keys is dropped. */
  take(piece: string): Typed {
    if (this.#keys.length === 0) return { text: piece, isDetached: false };
    const input = this.#incomplete + piece;
    this.#incomplete = INCOMPLETE.exec(input)?.[0] ?? '';
    return this.#read(input.slice(0, input.length - this.#incomplete.length));
  }

  /** Reads the held beginning of a sequence as separate keys. */
  flush(): Typed {
    const input = this.#incomplete;
    this.#incomplete = '';
    return this.#read(input);
  }

  #read(input: string): Typed {
    let text = '';
    for (let at = 0; at < input.length; ) {
      const stroke = strokeAt(input, at);
      at += stroke.raw.length;
      text += this.#press(stroke);
      if (this.#count === this.#keys.length) {
        this.#matched = [];
        this.#count = 0;
        return { text, isDetached: true };
      }
    }
    return { text, isDetached: false };
  }

  /** Returns the program's input once this key is pressed. */
  #press(stroke: Stroke): string {
    if (stroke.isSilent) {
      if (this.#count === 0) return stroke.raw;
      this.#matched.push(stroke);
      return '';
    }
    if (isOneOf(stroke.keys, this.#keys[this.#count]!)) {
      this.#matched.push(stroke);
      this.#count++;
      return '';
    }
    const [first, ...rest] = this.#matched;
    const isDoubled = this.#count === 1 && isOneOf(stroke.keys, this.#keys[0]!);
    this.#matched = [];
    this.#count = 0;
    if (!first) return stroke.raw;
    if (isDoubled) return [first, ...rest].map(({ raw }) => raw).join('');
    // The detach keys may begin with the second held key or a later key.
    return first.raw + [...rest, stroke].map((next) => this.#press(next)).join('');
  }
}

function isOneOf(keys: readonly Key[], wanted: Key): boolean {
  return keys.some(({ character, isCtrl }) => character === wanted.character && isCtrl === wanted.isCtrl);
}

function strokeAt(input: string, at: number): Stroke {
  const character = input[at]!;
  if (character === '\x1b') {
    const sequence = KEY_SEQUENCE.exec(input.slice(at, at + 128));
    if (sequence) return strokeOf(sequence);
    // Another sequence is passed as it is, so that its last character is no key.
    const other = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])/.exec(input.slice(at, at + 128));
    if (other) return { raw: other[0], keys: [], isSilent: false };
  }
  const code = character.charCodeAt(0);
  const keys = [{ character, isCtrl: false }];
  if (code < 0x20) keys.push({ character: String.fromCharCode(code + 0x40).toLowerCase(), isCtrl: true });
  if (code === 0) keys.push({ character: ' ', isCtrl: true });
  return { raw: character, keys, isSilent: false };
}

function strokeOf([raw, kittyCodes, kittyModifier = '', otherModifier, otherCode]: RegExpExecArray): Stroke {
  if (otherCode !== undefined)
    return { raw, keys: keysOf([otherCode], Number(otherModifier)), isSilent: false };
  // The key, the character that it has with Shift, and the key of that place on a standard keyboard.
  const codes = kittyCodes!.split(':');
  const [modifier, event] = kittyModifier.split(':');
  const keys = keysOf(codes, Number(modifier || '1'));
  return { raw, keys, isSilent: event === '3' || isModifierKey(Number(codes[0])) };
}

function keysOf(codes: readonly string[], modifier: number): Key[] {
  const held = (modifier - 1) & ~LOCKS;
  const isCtrl = (held & CTRL) !== 0;
  const isShifted = (held & SHIFT) !== 0;
  if ((held & ~(CTRL | SHIFT)) !== 0) return [];
  return codes.flatMap((code) => {
    const character = code === '' ? '' : String.fromCodePoint(Math.min(Number(code), 0x10ffff));
    // A letter with Shift is another key; other characters may need Shift.
    if (isShifted && isCtrl && /^[a-z]$/i.test(character)) return [];
    return character === '' ? [] : [{ character: isCtrl ? character.toLowerCase() : character, isCtrl }];
  });
}
