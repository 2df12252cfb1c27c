/** Modifiers that are held with a key. */
export interface Modifiers {
  shift: boolean;
  alt: boolean;
  ctrl: boolean;
}

/** Bytes that a key sends; `application` is set where they differ in application cursor mode (DECCKM). */
export interface KeyBytes {
  normal: string;
  application?: string;
}

/** Returns the bytes of a named key with these modifiers held. */
export type SpecialKey = (held: Modifiers) => KeyBytes;

const ESC = '\x1b';
const CSI = `${ESC}[`;
const SS3 = `${ESC}O`;

/** xterm's parameter for modifiers: 1, and a bit for each. */
function parameterOf({ shift, alt, ctrl }: Modifiers): number {
  return 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
}

/** A key of the cursor block, whose sequence ends in a letter. */
function cursorKey(letter: string): SpecialKey {
  return (held) => {
    const parameter = parameterOf(held);
    if (parameter > 1) return { normal: `${CSI}1;${parameter}${letter}` };
    return { normal: `${CSI}${letter}`, application: `${SS3}${letter}` };
  };
}

/** A key whose sequence has a number of its own and ends in `~`. */
function numberedKey(number: number): SpecialKey {
  return (held) => {
    const parameter = parameterOf(held);
    return { normal: parameter > 1 ? `${CSI}${number};${parameter}~` : `${CSI}${number}~` };
  };
}

/** F1 to F4 send SS3 whether the program has asked for application cursor keys or not. */
function functionKey(letter: string): SpecialKey {
  return (held) => {
    const parameter = parameterOf(held);
    return { normal: parameter > 1 ? `${CSI}1;${parameter}${letter}` : `${SS3}${letter}` };
  };
}

/**
 * A key that sends a character. Alt puts ESC before it; Shift and Ctrl change nothing unless `named` has a value for
 * them.
 */
function characterKey(character: string, named: { shift?: string; ctrl?: string } = {}): SpecialKey {
  return (held) => {
    const shifted = held.shift ? named.shift : undefined;
    const sent = shifted ?? (held.ctrl ? named.ctrl : undefined) ?? character;
    return { normal: held.alt ? `${ESC}${sent}` : sent };
  };
}

const FUNCTION_KEYS: SpecialKey[] = [
  ...['P', 'Q', 'R', 'S'].map(functionKey),
  ...[15, 17, 18, 19, 20, 21, 23, 24].map(numberedKey),
];

/**
 * F1 to F12, and F13 to F24, which are F1 to F12 with Shift: terminfo describes `xterm-256color` that way, and programs
 * look for that.
 */
const functionKeys = FUNCTION_KEYS.flatMap((key, index): [string, SpecialKey][] => [
  [`f${index + 1}`, key],
  [`f${index + 1 + FUNCTION_KEYS.length}`, (held) => key({ ...held, shift: true })],
]);

const enterKey = characterKey('\r');
const escapeKey = characterKey(ESC);

/** The keys that have names, in lower case. */
export const SPECIAL_KEYS: ReadonlyMap<string, SpecialKey> = new Map([
  ['enter', enterKey],
  ['return', enterKey],
  ['tab', characterKey('\t', { shift: `${CSI}Z` })],
  ['escape', escapeKey],
  ['esc', escapeKey],
  ['space', characterKey(' ', { ctrl: '\0' })],
  ['backspace', characterKey('\x7f', { ctrl: '\b' })],
  ['up', cursorKey('A')],
  ['down', cursorKey('B')],
  ['right', cursorKey('C')],
  ['left', cursorKey('D')],
  ['home', cursorKey('H')],
  ['end', cursorKey('F')],
  ['insert', numberedKey(2)],
  ['delete', numberedKey(3)],
  ['pageup', numberedKey(5)],
  ['pagedown', numberedKey(6)],
  ...functionKeys,
]);
