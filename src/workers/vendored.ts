import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Where the published package has files of libraries (pack/vendored.ts); a checkout has no such folder. */
const FOLDER = new URL('../../vendor/', import.meta.url);

/** Returns the path of a file that the published package brings along; undefined if it, or this checkout, brings none. */
export function vendoredFile(path: string): string | undefined {
  const file = fileURLToPath(new URL(path, FOLDER));
  return existsSync(file) ? file : undefined;
}

/** Returns the path of a file of a library, brought along or installed. Throws if it is neither. */
export function libraryFile(path: string): string {
  return vendoredFile(path) ?? createRequire(import.meta.url).resolve(path);
}
