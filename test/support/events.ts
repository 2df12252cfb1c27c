import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineEvent, Placement } from '#dist/actors/events.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { openStore } from '#dist/store/lmdb-store.js';
import type { Store } from '#dist/store/store.js';

/** A running terminal as the engine reports it. */
export function terminal(id: string, rest: Partial<Terminal> = {}): Terminal {
  return {
    id,
    processId: id,
    name: `name of ${id}`,
    profile: 'sh',
    status: 'running',
    pid: 1,
    createdAt: 1,
    mode: 'api',
    tabId: `tb-${id}`,
    labels: {},
    ...rest,
  };
}

export function created(of: Terminal, placement: Placement = {}): EngineEvent {
  return { type: 'created', id: of.id, terminal: of, placement };
}

export function exited(id: string): EngineEvent {
  return { type: 'exited', id, exit: { exitCode: 0, signal: null, exitedAt: 2 } };
}

export interface TestStore {
  store: Store;
  /** Everything logged as an error. */
  errors: unknown[];
  logger: { warn: () => void; error: (fields: unknown) => void };
  /** Closes the store, and opens it again with everything that it has written. */
  reopen(): Promise<TestStore>;
  /** Closes the store and removes its folder. */
  end(): Promise<void>;
}

/** A store in a folder of its own. */
export async function testStore(folder?: string): Promise<TestStore> {
  const root = folder ?? (await mkdtemp(join(tmpdir(), 'at-store-')));
  const errors: unknown[] = [];
  const logger = { warn: () => undefined, error: (fields: unknown) => void errors.push(fields) };
  const store = await openStore(join(root, 'store'), logger as never);
  return {
    store,
    errors,
    logger,
    reopen: async () => {
      await store.close();
      return testStore(root);
    },
    end: async () => {
      await store.close();
      await rm(root, { recursive: true });
    },
  };
}
