import { DomainError } from '../../contract/errors.js';
import { type KeyBytes, type Modifiers, SPECIAL_KEYS } from './special-keys.js';

/** Bytes that keys send, one after the other, in normal and in application cursor mode. */
export type EncodedKeys = Required<KeyBytes>;

const MODIFIER = /^(ctrl|alt|meta|shift)\+(?=.)/isu;

/** One character that a keyboard may have: no control of C0 or C1, no DEL, no lone surrogate. */
const CHARACTER = /^[^\p{Cc}\p{Cs}]$/u;

/** Digits, and `/` and `?`, that Ctrl turns into a control character, as in X. */
const CTRL_DIGITS: Record<string, string> = {
  '2': '\0',
  '3': '\x1b',
  '4': '\x1c',
  '5': '\x1d',
  '6': '\x1e',
  '7': '\x1f',
  '8': '\x7f',
  '/': '\x1f',
  '?': '\x7f',
};

const VALID =
  'one character; ctrl+ with a letter, 2 to 8 or one of @ [ \\ ] ^ _ ? / ` { | } ~; shift+ with a letter; alt+ with ' +
  'any of them; and, with any of ctrl+, alt+, meta+, shift+: enter, return, tab, escape, esc, space, backspace, ' +
  'delete, insert, home, end, pageup, pagedown, up, down, left, right, f1 to f24';

/** Characters of an unknown name that the error message repeats. */
const SHOWN_CHARS = 40;

/**
 * Encodes keys as xterm does (PC-style function keys; modifyOtherKeys and the kitty protocol off; Alt sends ESC;
 * Backspace sends DEL). Throws unknown-key, with the unknown name and the valid names.
 */
export function encodeKeys(names: readonly string[]): EncodedKeys {
  const keys = names.map((name) => encodeKey(name) ?? unknown(name));
  return {
    normal: keys.map(({ normal }) => normal).join(''),
    application: keys.map(({ normal, application = normal }) => application).join(''),
  };
}

function unknown(name: string): never {
  const shown = name.length > SHOWN_CHARS ? `${name.slice(0, SHOWN_CHARS)}...` : name;
  throw new DomainError('unknown-key', `Unknown key: ${JSON.stringify(shown)}. Valid keys: ${VALID}`);
}

/** Encodes one key; returns undefined if it does not exist or sends nothing of its own. */
function encodeKey(name: string): KeyBytes | undefined {
  const held: Modifiers = { shift: false, alt: false, ctrl: false };
  let key = name;
  for (let modifier = MODIFIER.exec(key); modifier; modifier = MODIFIER.exec(key)) {
    const [written, modifierName = ''] = modifier;
    const which = modifierName.toLowerCase().replace('meta', 'alt') as keyof Modifiers;
    held[which] = true;
    key = key.slice(written.length);
  }
  const special =
    SPECIAL_KEYS.get(key.toLowerCase()) ?? (key === ' ' ? SPECIAL_KEYS.get('space') : undefined);
  if (special) return special(held);
  if (!CHARACTER.test(key)) return undefined;
  const sent = characterOf(key, held);
  return sent === undefined ? undefined : { normal: held.alt ? `\x1b${sent}` : sent };
}

/**
 * Returns undefined for Shift with anything but a letter: the result depends on the keyboard, so clients send the
 * resulting character itself.
 */
function characterOf(character: string, { shift, ctrl }: Modifiers): string | undefined {
  const upper = character.toUpperCase();
  if (shift && (upper === character.toLowerCase() || [...upper].length > 1)) return undefined;
  if (ctrl) return controlOf(character);
  return shift ? upper : character;
}

function controlOf(character: string): string | undefined {
  const digit = CTRL_DIGITS[character];
  if (digit !== undefined) return digit;
  return /^[@-~]$/.test(character) ? String.fromCharCode(character.charCodeAt(0) & 0x1f) : undefined;
}
