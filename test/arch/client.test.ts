import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientBundle } from '../support/client-bundle.js';

const client = join(import.meta.dirname, '../../dist/src/client');

/** Most bytes of the client for pages, minified. */
const MAX_BYTES = 30_000;

/** Returns `file` and the modules that it loads at run time; imports of types are gone from built files. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gm)) {
    if (name!.startsWith('.')) loadedBy(join(dirname(file), name!), seen);
    else seen.add(name!);
  }
  return seen;
}

describe('the client', () => {
  it('for pages loads nothing but its own files, the names of headers, and the numbers of the styles of rows', () => {
    const files = [...loadedBy(join(client, 'browser.js'))];
    expect(files.length).toBeGreaterThan(10);
    const others = files.filter((file) => !file.startsWith(client));
    expect(others).toEqual(['headers.js', 'run-style.js'].map((name) => join(client, '../contract', name)));
  });

  it('for Node loads modules of Node, and what finds the files of the service', () => {
    const others = [...loadedBy(join(client, 'index.js'))].filter((file) => !file.startsWith('/'));
    expect(others.filter((name) => !name.startsWith('node:'))).toEqual(['env-paths']);
  });

  it(`for pages has at most ${MAX_BYTES} bytes, minified`, async () => {
    const bytes = Buffer.byteLength(await clientBundle());
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });
});
