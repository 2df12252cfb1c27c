import { readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { familyOf } from './names.js';
import { type Face, facesOf, NotAFont, tableOf } from './sfnt.js';

/** A face of a font of the machine, with the name of its family. */
export interface NamedFace {
  family: string;
  face: Face;
}

const FONT_FILE = /\.(ttf|otf|ttc|otc)$/i;
/** Bounds for folders that have loops of links, or many files other than fonts. Machines have some hundred fonts. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 8;

/** Bytes of the OS/2 table that are read, and where weight and slant are in it. */
const MAX_STYLE_BYTES = 1_024;
const WEIGHT_AT = 4;
const SELECTION_AT = 62;
const REGULAR_WEIGHT = 400;
const ITALIC_BIT = 1;

/** Returns the folders in which this system looks for fonts. */
export function fontFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  const home = env.HOME ?? homedir();
  if (process.platform === 'darwin')
    return ['/System/Library/Fonts', '/Library/Fonts', join(home, 'Library/Fonts')];
  const data = [
    env.XDG_DATA_HOME || join(home, '.local/share'),
    ...(env.XDG_DATA_DIRS || '/usr/local/share:/usr/share').split(':'),
  ];
  const folders = data.filter((folder) => folder.startsWith('/')).map((folder) => join(folder, 'fonts'));
  return [...new Set([join(home, '.fonts'), ...folders, '/usr/local/share/fonts', '/usr/share/fonts'])];
}

/** Returns the faces of all font files in these folders. Reads only their names; skips files that are no fonts. */
export function facesIn(folders: readonly string[]): NamedFace[] {
  const budget = { entries: MAX_ENTRIES };
  return folders.flatMap((folder) => [...filesUnder(folder, MAX_DEPTH, budget)].flatMap(namedFaces));
}

/** Returns how far a face is from upright and regular: the nearest of a family is drawn with. Throws as `tableOf`. */
export function distanceFromRegular(face: Face): number {
  const style = tableOf(face, 'OS/2', MAX_STYLE_BYTES);
  if (!style || style.length < SELECTION_AT + 2) return REGULAR_WEIGHT;
  const isItalic = (style.readUInt16BE(SELECTION_AT) & ITALIC_BIT) !== 0;
  return Math.abs(style.readUInt16BE(WEIGHT_AT) - REGULAR_WEIGHT) + (isItalic ? 1_000 : 0);
}

/** Returns the result of `read` for a font file; undefined if the file is no font, is broken, or is gone. */
export function ifFont<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotAFont || isUnreadable(error)) return undefined;
    throw error;
  }
}

function namedFaces(path: string): NamedFace[] {
  const named = ifFont(() => facesOf(path).map((face) => ({ family: familyOf(face), face })));
  return (named ?? []).filter((face): face is NamedFace => face.family !== undefined);
}

/** Yields the regular files with the name of a font. Follows links, since some systems have nothing else. */
function* filesUnder(folder: string, depth: number, budget: { entries: number }): Generator<string> {
  const names = ifFont(() => readdirSync(folder).sort()) ?? [];
  for (const name of names) {
    if (budget.entries-- <= 0) return;
    const path = join(folder, name);
    const entry = ifFont(() => statSync(path));
    // Opening a pipe with such a name would block.
    if (entry?.isFile() && FONT_FILE.test(name)) yield path;
    else if (entry?.isDirectory() && depth > 0) yield* filesUnder(path, depth - 1, budget);
  }
}

/** Returns whether an error is the system's, which has a number; other errors are faults of this program. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'errno' in error;
}
