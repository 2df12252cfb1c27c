import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '#dist/contract/version.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The compiled sources. */
const BUILT = dirname(fileURLToPath(import.meta.resolve('#dist/cli.js')));

export interface OtherRelease {
  /** Path of its cli.js. */
  main: string;
  /** Path of its pty host's main module. */
  host: string;
  remove(): Promise<void>;
}

/** Copies the current release, and changes the version of the copy. */
export async function otherRelease(version: string): Promise<OtherRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'at-release-'));
  const copy = join(folder, 'dist/src');
  for (const name of ['src', 'mcp'])
    await cp(join(BUILT, '..', name), join(folder, 'dist', name), { recursive: true });
  for (const name of ['node_modules', 'src', 'package.json'])
    await symlink(join(ROOT, name), join(folder, name));
  const file = join(copy, 'contract/version.js');
  const text = await readFile(file, 'utf8');
  const line = `VERSION = '${VERSION}'`;
  if (!text.includes(line)) throw new Error(`${file} does not say ${line}`);
  await writeFile(file, text.replace(line, `VERSION = '${version}'`));
  return {
    main: join(copy, 'cli.js'),
    host: join(copy, 'workers/pty-host/main.js'),
    remove: () => rm(folder, { recursive: true }),
  };
}
