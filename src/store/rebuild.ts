import { existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/config-error.js';
import { makePrivateFolder } from '../config/private-folder.js';
import { DomainError } from '../contract/errors.js';
import { faultOfEnvironment } from './check/check.js';
import { DATA_FILE, Environment } from './environment.js';
import { type Records, type Salvaged, salvage } from './salvage/salvage.js';
import { ACTING, EVENT_LOG_NAME } from './store.js';
import { copyFolderOf } from './store-copy.js';

/** Returns the folder in which a store is rebuilt, until it is complete. */
function draftOf(folder: string): string {
  return `${folder}.new`;
}

/** The result of {@link rebuild}, for the log. */
export interface Rebuilt {
  movedTo: string;
  /** Number of records in the new store, and how many of them come from the copy. */
  records: number;
  fromCopy: number;
  /** Numbers of records that only the copy has, and that were left out, by the names of their collections. */
  leftOut: Record<string, number>;
}

/**
 * Returns why the store cannot be used as it is, as a phrase, or null if it can. An empty folder without a copy is a
 * new store.
 */
export async function faultOfStore(folder: string): Promise<string | null> {
  const isCopied = existsSync(join(copyFolderOf(folder), DATA_FILE));
  const data = await stat(join(folder, DATA_FILE)).catch(() => undefined);
  if (isCopied && !data) return 'its data file is gone';
  if (isCopied && data?.size === 0) return 'its data file is empty';
  return faultOfEnvironment(folder);
}

/**
 * Renames a damaged store to `<folder>.damaged-<epoch milliseconds>`, and puts a new store in its place with all that
 * can be read of the damaged store and of its copy, except that nothing of {@link ACTING} comes from the copy. Throws
 * ConfigError, with nothing changed, if there is no room for it.
 */
export async function rebuild(folder: string): Promise<Rebuilt> {
  const salvaged = await salvage(folder, copyFolderOf(folder), new Set(Object.values(ACTING)));
  salvaged.databases.delete(EVENT_LOG_NAME);
  const draft = draftOf(folder);
  await rm(draft, { recursive: true, force: true });
  await makePrivateFolder(draft);
  try {
    await fill(draft, salvaged);
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    if (!(cause instanceof DomainError)) throw cause;
    throw new ConfigError(`${folder}: store is damaged, and the disk has no room to repair it`, { cause });
  }
  const movedTo = `${folder}.damaged-${Date.now()}`;
  await rename(folder, movedTo);
  await rename(draft, folder);
  const records = [...salvaged.databases.values()].reduce((sum, { size }) => sum + size, 0);
  const { fromCopy, leftOut } = salvaged;
  return { movedTo, records, fromCopy, leftOut };
}

/**
 * Completes a {@link rebuild} that was killed: if the store's folder is missing, the draft is complete and takes its
 * place.
 */
export async function finishRebuilding(folder: string): Promise<void> {
  const draft = draftOf(folder);
  if (!existsSync(draft)) return;
  if (existsSync(folder)) await rm(draft, { recursive: true });
  else await rename(draft, folder);
}

async function fill(folder: string, { databases }: Salvaged): Promise<void> {
  const environment = Environment.open(folder);
  try {
    for (const [name, records] of databases) await put(environment, name, records);
  } finally {
    await environment.close();
  }
}

async function put(environment: Environment, name: string, records: Records): Promise<void> {
  const database = environment.openDB<string>(name);
  const takes = { values: [...records.values()].map(({ length }) => length) };
  await environment.commit(takes, () =>
    environment.root.transaction(() => {
      for (const [id, bytes] of records) database.put(id, bytes);
    }),
  );
}
