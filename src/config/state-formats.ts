import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { VERSION } from '../contract/version.js';
import { ConfigError } from './config-error.js';
import type { Paths } from './paths.js';
import { openRegular } from './regular-file.js';
import { replaceFile } from './replace-file.js';

/** The parts of the state that a release can write in another format than the release before. */
export type StatePart = 'folder' | 'store' | 'search' | 'recordings';

export type StateFormats = Readonly<Record<StatePart, number>>;

/**
 * The formats that this release writes. Raise a number in the change after which an earlier release would misread,
 * set aside or delete what this one writes: a higher version of a record, a recording or a block of the search index,
 * a new release of LMDB's file format, another place for a file. Earlier formats stay readable: by the migrations of
 * a record's codec, or by code beside the part's reader.
 */
export const FORMATS: StateFormats = { folder: 1, store: 1, search: 1, recordings: 1 };

/** The format of a part whose folder has no file of formats: the releases before that file wrote it. */
const FIRST_FORMAT = 1;

/** The file of formats. A later release may add keys and parts, and keeps these two. */
const FormatFile = z.looseObject({
  /** The release that has used the folder last. */
  release: z.string(),
  formats: z.record(z.string(), z.int().min(1)),
});
type FormatFile = z.infer<typeof FormatFile>;

type StatePaths = Pick<
  Paths,
  'dataFolder' | 'formatsFile' | 'storeFolder' | 'searchFolder' | 'recordingsFolder'
>;

/**
 * Refuses a data folder that a later release has written. Reads only: call this before anything is created, opened or
 * changed. Throws ConfigError, which says what to do.
 */
export async function refuseNewerState(paths: StatePaths, known = FORMATS): Promise<void> {
  await readFormats(paths, known);
}

/**
 * Writes the formats of this release beside the state, so that an earlier release refuses it. Call this before any part
 * is opened. The file is written only if it says something else. Throws ConfigError, as {@link refuseNewerState} does,
 * and if the file cannot be written.
 */
export async function claimState(paths: StatePaths, known = FORMATS): Promise<void> {
  const file = await readFormats(paths, known);
  const wanted = { ...file, release: VERSION, formats: { ...file?.formats, ...known } };
  if (file && JSON.stringify(file) === JSON.stringify(wanted)) return;
  try {
    await replaceFile(paths.formatsFile, `${JSON.stringify(wanted, null, 2)}\n`);
  } catch (cause) {
    throw new ConfigError(`${paths.formatsFile}: cannot be written (${codeOf(cause)})`, { cause });
  }
}

/** Returns the content of the file of formats; undefined if there is none. Throws ConfigError if a part is newer than `known`. */
async function readFormats(paths: StatePaths, known: StateFormats): Promise<FormatFile | undefined> {
  const file = await readFile(paths.formatsFile);
  for (const part of Object.keys(known) as StatePart[]) {
    const found = file?.formats[part] ?? FIRST_FORMAT;
    if (file === undefined || found <= known[part]) continue;
    const folders = await filled(foldersOf(part, paths));
    // A part that was moved away begins anew, in the format of this release.
    if (folders.length === 0) continue;
    throw new ConfigError(newerMessage({ part, found, known: known[part], release: file.release, folders }));
  }
  return file;
}

/** Returns the folders that a part may be in. */
function foldersOf(part: StatePart, paths: StatePaths): string[] {
  const { dataFolder, storeFolder, searchFolder, recordingsFolder } = paths;
  const folders: Record<StatePart, string[]> = {
    folder: [dataFolder],
    // The copy and a store that was being rebuilt have the records of the store.
    store: [storeFolder, `${storeFolder}.copy`, `${storeFolder}.new`],
    search: [searchFolder],
    recordings: [recordingsFolder],
  };
  return folders[part];
}

const NAMES: Record<StatePart, string> = {
  folder: 'this folder',
  store: 'the store',
  search: 'the search index',
  recordings: 'the recordings',
};

function newerMessage(newer: {
  part: StatePart;
  found: number;
  known: number;
  release: string;
  folders: readonly string[];
}): string {
  const { part, found, known, release, folders } = newer;
  const begin =
    part === 'folder'
      ? 'set AUTO_TERMINAL_HOME to another folder'
      : `move ${folders.join(' and ')} away to begin without`;
  return (
    `${folders[0]}: auto-terminal ${release} wrote ${NAMES[part]} in format ${found}, and this release (${VERSION}) ` +
    `reads formats up to ${known}. Nothing was changed. Start ${release} or later, or ${begin}`
  );
}

/** Returns the folders that exist and are not empty. */
async function filled(folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw new ConfigError(`${folder}: folder cannot be read (${codeOf(error)})`, { cause: error });
    });
    if (names.length > 0) found.push(folder);
  }
  return found;
}

async function readFile(path: string): Promise<FormatFile | undefined> {
  let text: string;
  try {
    const file = await openRegular(path);
    text = await file.readFile('utf8').finally(() => file.close());
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ConfigError(`${path}: cannot be read (${codeOf(error)})`, { cause: error });
  }
  const parsed = FormatFile.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    `${path}: is not a file of formats. Nothing was changed. Restore it from a backup, or delete it if no release ` +
      `later than ${VERSION} has used this folder`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
