/** Bits of a modifier in the sequence of a key, where 1 is added. */
const SHIFT = 1;
const CTRL = 4;
/** Caps lock and num lock, which are no part of a key. */
const LOCKS = 64 + 128;

/** Event of a key that is released, in kitty's protocol. */
const RELEASED = '3';

/** Code points that kitty's protocol has for keys without a character. */
const isFunctionKey = (code: number) => code >= 57_344 && code <= 63_743;

/** Parameters of a key as modifyOtherKeys sends it: a modifier, and a code point. */
const OTHER_KEY = /^27;(\d{1,5});(\d{1,7})$/;

/** A control sequence that may be a key. */
const SEQUENCE = /\x1b\[([\d:;]{1,64})([u~])/g;

/**
 * Returns the text or the control character that a key types, from the control sequence of the key in kitty's protocol or in
 * that of modifyOtherKeys: Enter alone is CR, Ctrl with a letter is the control character. Returns an empty string for other
 * keys and for a key that is released, undefined if this is the sequence of no such key.
 */
export function typedByKey(parameters: string, final: string): string | undefined {
  const [, otherModifier, otherCode] = (final === '~' && OTHER_KEY.exec(parameters)) || [];
  if (otherModifier !== undefined) return characterOf(Number(otherCode), Number(otherModifier));
  if (final !== 'u' || parameters.startsWith('?')) return undefined;
  const [key = '', modified = ''] = parameters.split(';');
  const [modifier, event] = modified.split(':');
  return event === RELEASED ? '' : characterOf(Number(key.split(':')[0]), Number(modifier || '1'));
}

/** Returns typed data with what its keys type in place of the sequences of {@link typedByKey}. */
export function withTypedKeys(data: string): string {
  if (!data.includes('\x1b[')) return data;
  return data.replace(
    SEQUENCE,
    (raw, parameters: string, final: string) => typedByKey(parameters, final) ?? raw,
  );
}

function characterOf(code: number, modifier: number): string {
  const held = (modifier - 1) & ~LOCKS;
  if (code === 0x0d && held === 0) return '\r';
  const isText = code >= 0x20 && code !== 0x7f && code <= 0x10_ffff && !isFunctionKey(code);
  if (!isText) return '';
  const character = String.fromCodePoint(code);
  if ((held & ~SHIFT) === 0) return character;
  return held === CTRL && /[a-z]/i.test(character) ? String.fromCharCode(code & 0x1f) : '';
}
