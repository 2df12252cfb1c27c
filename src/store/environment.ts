import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';

/** Collections and the records set aside; LMDB wants to know how many there may be. */
const MAX_DATABASES = 32;

/** The databases of an environment: raw bytes by text keys. */
export const BINARY = { encoding: 'binary' } as const;

export type Environment = RootDatabase<Buffer, string>;

/**
 * Opens the LMDB environment in a folder, its files for the owner alone. An environment that is damaged may end
 * the process here or at any read (LMDB maps the file and follows what it finds), so it is checked first, by
 * `check/check.ts`, in a process that may be lost.
 */
export function openEnvironment(folder: string): Environment {
  // lmdb's types leave `permissionsMode` out.
  const options: RootDatabaseOptionsWithPath & { permissionsMode: number } = {
    path: folder,
    maxDbs: MAX_DATABASES,
    permissionsMode: 0o600,
    // Batching by turns makes promises that nobody sees: a full disk would end the process by one of them.
    eventTurnBatching: false,
    ...BINARY,
  };
  return open<Buffer, string>(options);
}

/**
 * To be called with the error of each write that failed: a failed commit carries its reason as a promise of its own,
 * which, unhandled, would end the process.
 */
export function leaveToLmdb(error: unknown): void {
  if (!(error instanceof Error) || !('commitError' in error)) return;
  Promise.resolve(error.commitError).catch(() => undefined);
}
