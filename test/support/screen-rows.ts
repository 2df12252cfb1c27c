import type { Screen } from '../../src/workers/shard/screen/screen.js';
import { drain } from '../../src/workers/shard/steps.js';

/** Returns the non-empty logical lines of the active buffer, scrollback first. */
export function linesOf(screen: Pick<Screen, 'linesWithText'>): string[] {
  const lines = screen.linesWithText();
  return lines.slice(0, lines.length);
}

/** Returns the text with SGR of each row; with `scrollback`, the rows above the screen come first. */
export function styledRowsOf(screen: Pick<Screen, 'styledRowSteps'>, scrollback = false): string[] {
  return drain(screen.styledRowSteps({ scrollback }));
}

/** Returns a description of each part of the screen that serializing would not reproduce exactly. */
export function lossesOf(screen: Pick<Screen, 'serializeSteps'>, scrollback = true): string[] {
  const serialized = drain(screen.serializeSteps({ scrollback }));
  if (!serialized) throw new Error('the serialized screen is too long');
  return serialized.losses;
}
