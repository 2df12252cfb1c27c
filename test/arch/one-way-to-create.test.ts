import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Returns the files of `src` and `mcp` whose text matches, without comments. */
function filesWith(pattern: RegExp): string[] {
  const files = ['src', 'mcp'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  return files.filter((file) => pattern.test(codeOf(file))).sort();
}

function codeOf(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

test('a program is started by one part of the service alone, which asks the admission first', () => {
  expect(filesWith(/\.spawn\(/)).toEqual([
    'src/actors/creation.ts',
    'src/workers/pty-host/client/host-client.ts',
  ]);
  // Only one file sends start requests to the pty host.
  expect(filesWith(/op: 'spawn'/)).toEqual(['src/workers/pty-host/client/changing-calls.ts']);
  const creation = codeOf('src/actors/creation.ts');
  expect(creation.match(/\.spawn\(/g)).toHaveLength(1);
  expect(creation.match(/#spawn\(/g)).toHaveLength(2);
  expect(creation.match(/#start\(/g)).toHaveLength(2);
  expect(creation.indexOf('admission.admit(')).toBeLessThan(creation.indexOf('this.#start('));
  expect(filesWith(/new Creation\(/)).toEqual(['src/actors/terminals.ts']);
});
