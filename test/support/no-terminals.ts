import { DomainError } from '#dist/contract/errors.js';
import type { ScreensPort, TerminalsPort } from '#dist/gateway/ports.js';

/** A service that has no terminals, and can start none. */
export const noTerminals: TerminalsPort = {
  list: () => [],
  newId: () => 'term_000000000000',
  get: unknown,
  create: async () => {
    throw new DomainError('spawn-failed', 'Not a folder: /nowhere');
  },
  close: async () => unknown(),
  size: unknown,
  type: async () => unknown(),
  typeAll: async (ids) => ids.map(() => new DomainError('terminal-not-found')),
  update: async () => unknown(),
  select: () => [],
};

export const noScreens: ScreensPort = {
  output: async () => unknown(),
  snapshot: async () => unknown(),
  place: async () => unknown(),
  cursor: async () => unknown(),
  changes: async () => ({ changes: [], missing: [], invalid: [] }),
};

export function unknown(): never {
  throw new DomainError('terminal-not-found');
}
