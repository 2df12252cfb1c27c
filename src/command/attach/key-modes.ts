import type { Token } from './tokens.js';

/** Private modes that change what keys and pastes send: cursor keys, keypad, pastes; and whether the cursor shows. */
const MODES: ReadonlySet<string> = new Set(['1', '25', '66', '2004']);

/**
 * Returns the part of a piece of output that the outer terminal gets while the output itself is not drawn: the modes of
 * keys and pastes, so that keys pressed then send the sequences that the program expects.
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
