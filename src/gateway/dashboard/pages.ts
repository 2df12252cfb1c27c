import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** A compressed form of a file, by the name that `Accept-Encoding` has for it. */
type Packed = Partial<Record<'br' | 'gzip', Buffer>>;

/** A file of the dashboard, whole in memory. */
export interface PageFile {
  bytes: Buffer;
  /** Content type. */
  type: string;
  etag: string;
  packed: Packed;
}

/** The files of the dashboard by path, such as `/assets/index-x1y2z3w4.js`. A path that is no key has no file. */
export type Pages = ReadonlyMap<string, PageFile>;

export const INDEX = '/index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

const PACKED = { '.br': 'br', '.gz': 'gzip' } as const;

/**
 * Reads all files of the built dashboard; undefined if it was not built. Links are left out. A file that is there only
 * as `.gz`, as in the published package, is unpacked for clients that do not take it packed.
 */
export async function readPages(folder: string): Promise<Pages | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = new Map<string, Buffer>();
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files.set(pathOf(relative(folder, path)), await readFile(path));
  }
  if (!files.has(INDEX)) return undefined;
  for (const [path, bytes] of [...files]) {
    const plain = path.replace(/\.gz$/, '');
    if (!files.has(plain)) files.set(plain, await promisify(gunzip)(bytes));
  }
  const plain = [...files].filter(([path]) => !(extname(path) in PACKED));
  return new Map(
    plain.map(([path, bytes]) => [
      path,
      {
        bytes,
        type: TYPES[extname(path)] ?? 'application/octet-stream',
        etag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
        packed: packedOf(path, files),
      },
    ]),
  );
}

/** Returns the path as a request spells it. */
function pathOf(name: string): string {
  return `/${name.split(sep).map(encodeURIComponent).join('/')}`;
}

function packedOf(path: string, files: ReadonlyMap<string, Buffer>): Packed {
  const found = Object.entries(PACKED).map(([end, coding]) => [coding, files.get(path + end)] as const);
  return Object.fromEntries(found.filter(([, bytes]) => bytes !== undefined));
}
