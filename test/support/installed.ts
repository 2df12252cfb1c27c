import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const DEADLINE_MS = 100_000;
const run = promisify(execFile);

interface PackedFile {
  path: string;
  /** In bytes. */
  size: number;
  /** Permissions. */
  mode: number;
}

export interface Packed {
  /** Path of the tarball. */
  tarball: string;
  files: PackedFile[];
}

/**
 * Packs this checkout as npm would publish it. Scripts do not run: `prepack` would rebuild files that other tests run
 * at the same time.
 */
export async function pack(folder: string): Promise<Packed> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: ROOT, timeout: DEADLINE_MS, maxBuffer: 2 ** 24 });
  // npm 12 prints an object by name, earlier versions a list.
  const [packed] = Object.values(
    JSON.parse(stdout) as Record<string, { filename: string; files: PackedFile[] }>,
  );
  return { tarball: join(folder, packed!.filename), files: packed!.files };
}

/**
 * Installs a tarball as a user would, into an empty prefix and with an empty cache; resolves with npm's output and the
 * folder of commands.
 */
export async function install(tarball: string, folder: string): Promise<{ output: string; bin: string }> {
  const [prefix, cache] = [join(folder, 'prefix'), join(folder, 'cache')];
  await mkdir(prefix);
  const args = [
    'install',
    '--global',
    '--no-audit',
    '--no-fund',
    '--prefix',
    prefix,
    '--cache',
    cache,
    tarball,
  ];
  const { stdout, stderr } = await run('npm', args, { cwd: folder, timeout: DEADLINE_MS });
  return { output: stdout + stderr, bin: join(prefix, 'bin') };
}
