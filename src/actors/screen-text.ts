import { isGone, type Screens } from './screens.js';
import { throughShardDeaths } from './waits/shard-deaths.js';

/** The rows of the screen, without the empty ones below the last. Rejects with terminal-not-found. */
export async function screenText(screens: Pick<Screens, 'look'>, id: string): Promise<string> {
  const { signal } = new AbortController();
  const { rows } = await throughShardDeaths(signal, () => screens.look(id));
  return rows.join('\n').replace(/\n+$/, '');
}

/** Empty where the terminal has gone. */
export async function screenTextOrNone(screens: Pick<Screens, 'look'>, id: string): Promise<string> {
  try {
    return await screenText(screens, id);
  } catch (error) {
    if (!isGone(error)) throw error;
    return '';
  }
}
