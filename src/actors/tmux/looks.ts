/** Attribute of a character that SGR sets; a character has each at most once. */
type Look =
  | 'bold'
  | 'dim'
  | 'italic'
  | 'underline'
  | 'blink'
  | 'inverse'
  | 'hidden'
  | 'struck'
  | 'overline'
  | 'foreground'
  | 'background'
  | 'underlineColor';

/** The look that each code turns on. */
const ON: Readonly<Record<number, Look>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  5: 'blink',
  6: 'blink',
  7: 'inverse',
  8: 'hidden',
  9: 'struck',
  21: 'underline',
  53: 'overline',
};

/** The looks that each code turns off. */
const OFF: Readonly<Record<number, readonly Look[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  25: ['blink'],
  27: ['inverse'],
  28: ['hidden'],
  29: ['struck'],
  39: ['foreground'],
  49: ['background'],
  55: ['overline'],
  59: ['underlineColor'],
};

/** Codes of colours that take more parameters: `38;5;n`, `38;2;r;g;b`. */
const COLOR: Readonly<Record<number, Look>> = { 38: 'foreground', 48: 'background', 58: 'underlineColor' };

/**
 * Returns the looks of characters after an SGR sequence with these parameters, as `1;38;5;9` or `4:3`. Looks are
 * written as the parameters that produce them from plain text, each look once; plain text is an empty string.
 */
export function looksAfter(looks: string, parameters: string): string {
  const on = new Map<Look, string>();
  if (looks !== '') take(on, looks);
  take(on, parameters);
  return [...on.values()].join(';');
}

/** Applies parameters to `on`, which holds for each look the parameters that produce it. */
function take(on: Map<Look, string>, parameters: string): void {
  const words = parameters.split(';');
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const code = Number.parseInt(word, 10) || 0;
    const color = COLOR[code];
    if (color === undefined) takeOne(on, code, word);
    else {
      // With colons the whole colour is one word.
      const length = word.includes(':') ? 1 : words[at + 1] === '5' ? 3 : 5;
      on.set(color, words.slice(at, at + length).join(';'));
      at += length - 1;
    }
  }
}

function takeOne(on: Map<Look, string>, code: number, word: string): void {
  const look = ON[code] ?? plainColor(code);
  if (code === 0) on.clear();
  else if (look === undefined) for (const off of OFF[code] ?? []) on.delete(off);
  // `4:0` means no underline.
  else if (word === '4:0') on.delete('underline');
  else on.set(look, word);
}

/** Returns the look that a code for one of the sixteen colours changes; undefined for any other code. */
function plainColor(code: number): Look | undefined {
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return 'foreground';
  if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) return 'background';
  return undefined;
}
