import type { Token } from './tokens.js';

/** Private modes that change what keys and pastes send: cursor keys, keypad, pastes; and whether the cursor shows. */
const MODES: ReadonlySet<string> = new Set(['1', '25', '66', '2004']);

/**
 * Returns what the outer terminal gets of a piece of output while the program's screen is not drawn by itself: what its
 * keys and pastes send, so that a key that is pressed then is the right one.
 */
export function keyModesOf(token: Token): string {
  if (token.kind === 'escape')
    return token.intermediates === '' && '=>'.includes(token.final) ? token.raw : '';
  if (token.kind !== 'csi') return '';
  const { prefix, parameters, intermediates, final } = token.csi;
  if (intermediates !== '') return '';
  if (prefix === '?' && (final === 'h' || final === 'l')) {
    const modes = parameters.split(';').filter((mode) => MODES.has(mode));
    return modes.length > 0 ? `\x1b[?${modes.join(';')}${final}` : '';
  }
  // Kitty's keyboard protocol, and xterm's key options.
  const isKitty = final === 'u' && '<=>'.includes(prefix) && prefix !== '';
  return isKitty || (prefix === '>' && 'mfn'.includes(final)) ? token.raw : '';
}
