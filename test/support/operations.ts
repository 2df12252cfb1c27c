import { Operations, type OperationsOptions } from '#dist/actors/operations/operations.js';
import { MemoryShelf } from './shelf.js';

/** Returns operations that are kept in memory: at most 100, for a second. */
export function newOperations(options: Partial<OperationsOptions> = {}): Operations {
  return new Operations({
    shelf: new MemoryShelf(),
    journal: { found: [], add: () => undefined, blank: () => {}, clear: () => {} },
    maxOperations: 100,
    maxBytes: 1_000,
    maxMs: 1_000,
    now: () => performance.now(),
    isRunKept: () => true,
    logger: { error: () => {} },
    ...options,
  });
}
