import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Folder of library files in the published package (pack/vendored.ts); a checkout has none. */
const FOLDER = new URL('../../vendor/', import.meta.url);

/** Returns the path of a file that the published package includes; undefined if the package lacks it, and in a checkout. */
export function vendoredFile(path: string): string | undefined {
  const file = fileURLToPath(new URL(path, FOLDER));
  return existsSync(file) ? file : undefined;
}

/** Returns the path of a library's file, vendored or installed. Throws if it is neither. */
export function libraryFile(path: string): string {
  return vendoredFile(path) ?? createRequire(import.meta.url).resolve(path);
}
