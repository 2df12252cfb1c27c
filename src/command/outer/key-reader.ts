import { StringDecoder } from 'node:string_decoder';

/** Time for the rest of a sequence that a read has cut; then a held ESC is the Escape key. */
const REST_OF_KEY_MS = 25;

/** Most characters of an incomplete sequence that is held. */
const MAX_SEQUENCE_CHARS = 64;

/** Bits of a modifier in the sequences of keys, where 1 is added. */
const ALT = 2;
const CTRL = 4;

/** Keys by the final character of their sequence, CSI or SS3. */
const BY_FINAL: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
};

/** The Enter key of a keypad, which has no form as CSI. */
const KEYPAD_ENTER = 'M';

/** Keys by the number of their sequence, which ends with a tilde. */
const BY_NUMBER: Readonly<Record<string, string>> = {
  '1': 'home',
  '3': 'delete',
  '4': 'end',
  '5': 'pageup',
  '6': 'pagedown',
  '7': 'home',
  '8': 'end',
};

/** Keys by their character. */
const BY_CHARACTER: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\x7f': 'backspace',
  '\x1b': 'escape',
};

/** A whole sequence that begins with ESC: CSI or SS3. ESC and any other character are two keys that came together. */
const SEQUENCE = /^\x1b(?:\[([<=>?]?[0-9;:]*)[ -/]*([@-~])|O([ -~]))/;

/** The beginning of a sequence that a read may have cut. */
const BEGINNING = /^\x1b(?:\[[0-?]*[ -/]*|O)?$/;

/**
 * Parses keys from a terminal's input, however the reads cut it. A key has a name: `up`, `pagedown`, `enter`, `escape`,
 * `ctrl+c`; any other is the character that it types.
 */
export class KeyReader {
  readonly #onKey: (key: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(onKey: (key: string) => void) {
    this.#onKey = onKey;
  }

  take(data: Buffer): void {
    clearTimeout(this.#timer);
    this.#read(this.#rest + this.#decoder.write(data));
    if (this.#rest !== '') this.#timer = setTimeout(() => this.flush(), REST_OF_KEY_MS);
  }

  /** Reads the held beginning of a sequence as the Escape key, and the characters after it as keys. */
  flush(): void {
    clearTimeout(this.#timer);
    const [first, ...rest] = this.#rest;
    this.#rest = '';
    if (first !== undefined) this.#onKey('escape');
    for (const character of rest) this.#onKey(character);
  }

  /** Drops the held characters. */
  close(): void {
    clearTimeout(this.#timer);
    this.#rest = '';
  }

  #read(text: string): void {
    let at = 0;
    while (at < text.length) {
      const rest = text.slice(at, at + MAX_SEQUENCE_CHARS);
      if (BEGINNING.test(rest) && rest.length < MAX_SEQUENCE_CHARS) break;
      const sequence = SEQUENCE.exec(rest);
      const raw = sequence?.[0] ?? String.fromCodePoint(text.codePointAt(at)!);
      at += raw.length;
      const key = sequence ? keyOfSequence(sequence) : keyOfCharacter(raw);
      if (key !== undefined) this.#onKey(key);
    }
    this.#rest = text.slice(at);
  }
}

function keyOfSequence([, parameters = '', final = '', ss3]: RegExpExecArray): string | undefined {
  if (ss3 !== undefined) return ss3 === KEYPAD_ENTER ? 'enter' : BY_FINAL[ss3];
  const [first = '', second = '', third = ''] = parameters.split(';');
  if (final === '~' && first === '27') return withModifier(third, second);
  if (final === '~') return BY_NUMBER[first];
  if (final !== 'u') return BY_FINAL[final];
  const [modifier = '', event] = second.split(':');
  // The release of a key.
  return event === '3' ? undefined : withModifier(first.split(':')[0]!, modifier);
}

/** Returns the key of a code point and a modifier, as kitty's protocol and modifyOtherKeys report them. */
function withModifier(code: string, modifier: string): string | undefined {
  if (!/^\d+$/.test(code) || Number(code) > 0x10ffff) return undefined;
  // Surrogates, and the private-use numbers that kitty's protocol has for keys without a character.
  if (Number(code) >= 0xd800 && Number(code) <= 0xf8ff) return undefined;
  const character = String.fromCodePoint(Number(code));
  const held = Number(modifier || '1') - 1;
  if ((held & ALT) !== 0) return undefined;
  return (held & CTRL) === 0 ? keyOfCharacter(character) : `ctrl+${character.toLowerCase()}`;
}

function keyOfCharacter(character: string): string {
  const named = BY_CHARACTER[character];
  if (named !== undefined) return named;
  return character < ' '
    ? `ctrl+${String.fromCharCode(character.charCodeAt(0) + 0x40).toLowerCase()}`
    : character;
}
