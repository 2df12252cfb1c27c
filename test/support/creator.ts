import { Creator, type CreatorOptions } from '#dist/gateway/creator.js';
import { LongPolls } from '#dist/gateway/long-polls.js';
import type { App } from '#dist/gateway/validation.js';
import { openAccess } from './open-access.js';

/**
 * Returns a {@link Creator} of terminals for the routes of an app; it takes all clients to run outside of terminals.
 */
export function creatorFor(
  app: App,
  terminals: CreatorOptions['terminals'],
  keys: CreatorOptions['keys'],
): Creator {
  const nobody = { terminalId: null, pid: null, verified: false, via: 'none' } as const;
  return new Creator({
    terminals,
    keys,
    access: openAccess().access,
    polls: new LongPolls(app),
    callers: { of: async () => nobody },
  });
}
