import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';
import type { CanvasKit } from 'canvaskit-wasm';
import { libraryFile, vendoredFile } from '../../../vendored.js';

const SCRIPT = 'canvaskit-wasm/bin/canvaskit.js';
const BINARY = 'canvaskit-wasm/bin/canvaskit.wasm';
/** The form of the binary in the published package, a third as large (pack/vendored.ts). */
const COMPRESSED = `${BINARY}.br`;

interface ScriptModule {
  exports: () => Promise<CanvasKit>;
}

/**
 * Resolves with a new instance of Skia, compiled to WebAssembly as CanvasKit. Its memory starts at 128 MiB, of which
 * only the used part is resident.
 */
export async function loadSkia(): Promise<CanvasKit> {
  const file = libraryFile(SCRIPT);
  const script = compileFunction(
    readFileSync(file, 'utf8'),
    ['module', 'exports', 'require', '__filename', '__dirname'],
    { filename: file },
  );
  const module = { exports: {} } as ScriptModule;
  script(module, module.exports, requireWith(binary), file, '');
  return module.exports();
}

/** Returns a `require` whose `fs` reads this file alone: the script can load its binary only from a file. */
function requireWith(read: () => Uint8Array): (name: string) => unknown {
  const require = createRequire(import.meta.url);
  return (name) => (name === 'fs' ? { readFileSync: read } : require(name));
}

function binary(): Uint8Array {
  const compressed = vendoredFile(COMPRESSED);
  return compressed ? brotliDecompressSync(readFileSync(compressed)) : readFileSync(libraryFile(BINARY));
}
