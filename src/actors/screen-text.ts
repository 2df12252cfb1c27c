import { isGone, type Screens } from './screens.js';
import { retryAcrossShardRestart } from './waits/shard-restart.js';

/**
 * Returns the rows of the screen without the empty rows at its end. Rejects with terminal-not-found, and with
 * `unavailable` when shards keep dying.
 */
export async function screenText(screens: Pick<Screens, 'look'>, id: string): Promise<string> {
  const { signal } = new AbortController();
  const { rows } = await retryAcrossShardRestart(signal, () => screens.look(id));
  return rows.join('\n').replace(/\n+$/, '');
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
