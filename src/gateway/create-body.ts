import { CreateTerminal } from '../contract/terminal.js';
import { unknownKeys } from '../contract/unknown-keys.js';

/** Returns the body without its unknown fields, which have no meaning. */
export function knownOf(body: CreateTerminal): CreateTerminal {
  const known = Object.entries(body).filter(([key]) => Object.hasOwn(CreateTerminal.shape, key));
  return Object.fromEntries(known) as CreateTerminal;
}

/** Returns a warning for each unknown field of the body. */
export function warningsOf(body: CreateTerminal): { warnings?: string[] } {
  const unknown = unknownKeys(CreateTerminal, body);
  return unknown.length === 0 ? {} : { warnings: unknown.map((key) => `unknown field: ${key}`) };
}
