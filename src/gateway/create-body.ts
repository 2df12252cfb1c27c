import { CreateTerminal } from '../contract/terminal.js';
import type { HeldLimits } from '../contract/terminal-limits.js';
import { unknownKeys } from '../contract/unknown-keys.js';

/** Returns the body without its unknown fields, which have no meaning. */
export function knownOf(body: CreateTerminal): CreateTerminal {
  const known = Object.entries(body).filter(([key]) => Object.hasOwn(CreateTerminal.shape, key));
  return Object.fromEntries(known) as CreateTerminal;
}

/** Returns a warning for each unknown field of the body, and for each limit that does not hold. */
export function warningsOf(body: CreateTerminal, held?: HeldLimits): { warnings?: string[] } {
  const { notHeld = [], why } = held ?? {};
  const warnings = [
    ...unknownKeys(CreateTerminal, body).map((key) => `unknown field: ${key}`),
    ...notHeld.map((name) => `limits.${name} does not hold here${why === undefined ? '' : `: ${why}`}`),
  ];
  return warnings.length === 0 ? {} : { warnings };
}
