// Makes `bundle`, which npm publishes: few files that hold the compiled sources and the libraries, and start as the
// compiled files do. koffi and lmdb stay dependencies. Run it after the compiler and vite.
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { type InputOption, type OutputOptions, rolldown } from 'rolldown';
import { noticesOf } from './notices.js';
import { placeOf, places } from './places.js';
import { copyTypes } from './types.js';
import { COMPRESSED, LIBRARY_FILES, NO_FILES_NEEDED, VENDORED } from './vendored.js';
import { VERB_CHUNKS } from './verb-chunks.js';

const HERE = join(import.meta.dirname, '../..');
const BUILT = join(HERE, 'dist');
const OUT = join(HERE, 'bundle');

/**
 * Packages that stay out of the bundle: npm installs lmdb and koffi, the native part of node-pty is copied to
 * `bundle/vendor`, and `@napi-rs/nice` is an option of piscina that is not used.
 */
const EXTERNAL = ['lmdb', 'koffi', '@napi-rs/nice', 'node-pty'];

/** Files that are started by their path: as a program, as a process, or as a thread. */
const SERVICE = [
  'src/cli',
  'mcp/main',
  'src/workers/pty-host/main',
  'src/workers/shard/main',
  'src/workers/jobs/main',
  'src/workers/fleet-link/main',
  'src/store/check/main',
  'src/store/salvage/main',
];
const CLIENT = ['src/client/index', 'src/client/browser'];

/** The highest quality would take twenty times as long, for a file that is a tenth smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } };

const inputs = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, join(BUILT, `${name}.js`)]));

/** Modules of libraries that look for files of their own. */
const searching = new Set<string>();
/** All modules that are in the bundle. */
const bundled = new Set<string>();

async function bundle(input: InputOption, chunks: string, options: OutputOptions = {}): Promise<void> {
  const build = await rolldown({
    input,
    platform: 'node',
    external: EXTERNAL.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [places(BUILT, (module) => searching.add(module))],
    onLog: (level, log, show) => {
      // Some libraries make code at run time on purpose, as piscina does for its import.
      if (log.code !== 'EVAL') show(level, log);
    },
  });
  const { output } = await build.write({
    dir: OUT,
    entryFileNames: '[name].js',
    chunkFileNames: `${chunks}/[name]-[hash].js`,
    // Functions and classes keep their names: users' stack traces have no source map, and some libraries read names.
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: { keepNames: true },
      codegen: { removeWhitespace: true },
    },
    ...options,
  });
  await build.close();
  for (const file of output) if (file.type === 'chunk') for (const id of file.moduleIds) bundled.add(id);
}

/** Copies the library files that are read or started at run time. */
async function copyVendored(): Promise<void> {
  for (const [name, mode] of VENDORED) {
    const target = join(OUT, 'vendor', name);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(HERE, 'node_modules', name), target, { recursive: true });
    if (mode !== undefined) await chmod(target, mode);
  }
  for (const name of COMPRESSED) {
    const bytes = await readFile(join(HERE, 'node_modules', name));
    await writeFile(join(OUT, 'vendor', `${name}.br`), await promisify(brotliCompress)(bytes, BROTLI));
  }
}

/** Throws if a library looks for files beside itself, and is in neither of the two lists of checked modules. */
function checkLibraries(): void {
  const known = new Set([...LIBRARY_FILES, ...NO_FILES_NEEDED]);
  const unknown = [...searching].map((id) => placeOf(id, BUILT)).filter((place) => !known.has(place));
  if (unknown.length > 0)
    throw new Error(`these look for files beside themselves, see pack/vendored.ts: ${unknown.join(', ')}`);
}

await rm(OUT, { recursive: true, force: true });
const worker = { 'vendor/piscina/dist/worker': join(HERE, 'node_modules/piscina/dist/worker.js') };
// Every process uses the limits, which are small; without a group they would be many files.
const limits = { name: 'limits', test: /\/src\/contract\/limits/ };
await bundle({ ...inputs(SERVICE), ...worker }, 'service', { codeSplitting: { groups: [limits] } });
// Bundled apart from the service, so that a verb loads no more than it needs; src/cli.ts names the folder.
await bundle({ 'src/command-bundle/main': join(BUILT, 'src/command/main.js') }, 'src/command-bundle', {
  codeSplitting: { groups: VERB_CHUNKS },
});
await bundle(inputs(CLIENT), 'src/client');
await copyTypes(CLIENT, BUILT, OUT);
checkLibraries();
await copyVendored();
// Skips each file that has a `.gz` beside it: the service unpacks the `.gz`.
await cp(join(BUILT, 'dashboard'), join(OUT, 'dashboard'), {
  recursive: true,
  filter: (file) => !existsSync(`${file}.gz`),
});
await writeFile(join(OUT, 'THIRD-PARTY.txt'), await noticesOf(bundled, HERE));
await chmod(join(OUT, 'src/cli.js'), 0o755);
