import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

const MODULES = `${sep}node_modules${sep}`;
const LICENCE = /^(licen[cs]e|copying|notice)/i;
/** Notice of Swagger UI, a library within a library that does not contain the text of Swagger UI's licence. */
const SWAGGER_UI =
  'vendor/@fastify/swagger-ui/static is Swagger UI, copyright SmartBear Software Inc., under the Apache License 2.0.\n' +
  'The text of that licence is below, under prom-client.\n';
/** Notice of the libraries that are compiled into CanvasKit, whose package names only its own licence. */
const WITHIN_CANVASKIT =
  'vendor/canvaskit-wasm is Skia compiled to WebAssembly. It contains FreeType (FreeType License), HarfBuzz (Old MIT),\n' +
  'ICU (Unicode License), libpng, zlib, libjpeg-turbo (IJG and BSD), libwebp (BSD) and Brotli (MIT).\n' +
  'Portions of this software are copyright The FreeType Project (https://freetype.org). All rights reserved.\n' +
  'This software is based in part on the work of the Independent JPEG Group.\n' +
  'Copyright (C) 2016 and later: Unicode, Inc. and others. License & terms of use: https://www.unicode.org/copyright.html\n';
const RULE = `\n${'-'.repeat(80)}\n\n`;

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

/** Returns the folder of a module's package; undefined for a module of our own. */
function packageOf(module: string): string | undefined {
  const at = module.lastIndexOf(MODULES);
  if (at === -1) return undefined;
  const [scope = '', name = ''] = module.slice(at + MODULES.length).split(sep);
  return module.slice(0, at + MODULES.length) + (scope.startsWith('@') ? join(scope, name) : scope);
}

/** Returns the licences of all packages that these modules belong to. Throws if a package names no licence. */
export async function noticesOf(modules: Iterable<string>, root: string): Promise<string> {
  const folders = new Set([...modules].map(packageOf).filter((folder) => folder !== undefined));
  // The files of these packages lie beside the bundle, not in it; the dashboard has notices of its own.
  for (const name of ['node-pty', 'dejavu-fonts-ttf', 'canvaskit-wasm'])
    folders.add(join(root, 'node_modules', name));
  const notices = await Promise.all([...folders].map(noticeOf));
  return [
    'The files of this folder contain these packages. The packages of the dashboard are in dashboard/licenses.txt.\n',
    SWAGGER_UI,
    WITHIN_CANVASKIT,
    ...notices.sort(),
  ].join(RULE);
}

async function noticeOf(folder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license } = manifest;
  const files = (await readdir(folder)).filter((file) => LICENCE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  if (license === undefined && texts.length === 0) throw new Error(`${folder} names no licence`);
  return `${name} ${version} (${license ?? 'see below'})\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
}
