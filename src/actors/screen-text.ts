import { DomainError } from '../contract/errors.js';
import { SCREEN_TEXT_MS } from '../contract/limits.js';
import { isGone, type Screens } from './screens.js';
import { retryAcrossShardRestart } from './waits/shard-restart.js';

/**
 * Returns the rows of the screen without the empty rows at its end. Rejects with terminal-not-found, and with
 * `unavailable` when shards keep dying, or do not answer within SCREEN_TEXT_MS.
 */
export async function screenText(screens: Pick<Screens, 'look'>, id: string): Promise<string> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DomainError('unavailable')), SCREEN_TEXT_MS);
  try {
    const { rows } = await retryAcrossShardRestart(late.signal, () => screens.look(id));
    return rows.join('\n').replace(/\n+$/, '');
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the same as `screenText`, or an empty string if the terminal is gone. */
export async function screenTextOrNone(screens: Pick<Screens, 'look'>, id: string): Promise<string> {
  try {
    return await screenText(screens, id);
  } catch (error) {
    if (!isGone(error)) throw error;
    return '';
  }
}
