import type { Cleanup } from './cleanup.js';
import { createTerminals } from './create-terminals.js';
import { createMixedFleet } from './mixed-fleet.js';
import type { OurService } from './our-service.js';

/** Terminals beside the 100 that are watched. */
const OTHERS = 900;

/** Viewport that shows all 100 small tiles at once. */
export const VIEWPORT = { width: 2_400, height: 1_500 };
/** Address of the wall with the terminals that are watched, as small tiles. */
export const WATCHED = '/?q=shown=yes&size=s';

/** Creates 1,000 terminals, or the share `scale`; 100 are the mixed fleet that is watched. Resolves with the counts. */
export async function createWallFleet(
  cleanup: Cleanup,
  { url, api }: OurService,
  scale: number,
): Promise<{ watched: number; all: number }> {
  const watched = await createMixedFleet(cleanup, url, scale);
  for (const id of watched) await api.patch(`/api/terminals/${id}`, { labels: { shown: 'yes' } });
  const others = Math.round(OTHERS * scale);
  await createTerminals(url, others, () => ({ command: ['sh', '-c', 'printf "\\$ "; exec cat'] }));
  return { watched: watched.length, all: watched.length + others };
}
