import { DomainError } from '../contract/errors.js';
import { MAX_LABEL_CHARS, MAX_PENDING_INPUT_BYTES } from '../contract/limits.js';
import type { InputPart } from '../contract/terminal.js';
import type { Hold } from './input-gate/hold.js';
import { withTypedKeys } from './keys/encoded-keys.js';
import { entersIn } from './paste.js';

/** How a key of the service's own is typed. */
export interface PressOptions {
  /** Id of the operation, under which the key is typed once. */
  once?: string | undefined;
  /** The hold under which it is typed. */
  hold?: Hold | undefined;
  isReady?: () => boolean;
}

/**
 * Throws input-buffer-full at once, so that a batch of large writes is not copied to the pty host only to be refused
 * there.
 */
export function refuseTooLarge(parts: readonly InputPart[]): void {
  const characters = parts.reduce((sum, { data }) => sum + data.length, 0);
  if (characters > MAX_PENDING_INPUT_BYTES + MAX_LABEL_CHARS) throw new DomainError('input-buffer-full');
}

/** Returns whether the parts contain an Enter, which gives a shell something to do. */
export function submits(parts: readonly InputPart[]): boolean {
  return entersIn(parts) > 0;
}

/** Returns whether a line that somebody has half typed is submitted or dropped by these parts. */
export function dropsLine(parts: readonly InputPart[]): boolean {
  return submits(parts) || /[\x03\x15]/.test(withTypedKeys(textOf(parts)));
}

export function textOf(parts: readonly InputPart[]): string {
  return parts.map(({ data }) => data).join('');
}
