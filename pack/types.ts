import { cp, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** Copies the `.d.ts` files of these modules, and every `.d.ts` that they import, to `target`. Leaves out libraries. */
export async function copyTypes(names: readonly string[], built: string, target: string): Promise<void> {
  const found = new Set<string>();
  for (const name of names) await follow(join(built, `${name}.d.ts`), found);
  for (const file of found) await cp(file, join(target, relative(built, file)));
}

async function follow(file: string, found: Set<string>): Promise<void> {
  if (found.has(file)) return;
  found.add(file);
  const text = await readFile(file, 'utf8');
  for (const [, path] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.js['"]/g))
    await follow(join(dirname(file), `${path}.d.ts`), found);
}
