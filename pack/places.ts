// Decides where a module of the bundle looks for files. A chunk lies elsewhere than its modules, so each module gets
// the place that it would have if every file were copied: our modules under `bundle`, libraries under `bundle/vendor`.
import { dirname, relative, sep } from 'node:path';
import type { Plugin } from 'rolldown';

const MODULES = `${sep}node_modules${sep}`;
/** Name of a call that is replaced by the place once the module's chunk is known, since paths begin at the chunk. */
const MARK = '__place_in_bundle__';
const MARKED = new RegExp(`${MARK}\\(([\`"'])(url|folder):(.+?)\\1\\)`, 'g');

/** Returns the place of a module, with `/`: `src/app/host.js`, or `vendor/piscina/dist/index.js`. */
export function placeOf(module: string, root: string): string {
  const at = module.lastIndexOf(MODULES);
  const path = at === -1 ? relative(root, module) : `vendor/${module.slice(at + MODULES.length)}`;
  return path.replaceAll(sep, '/');
}

/**
 * Makes `import.meta.url` and `__dirname` name the module's place in the bundle.
 *
 * @param root - folder of the compiled sources
 * @param onLibrary - is called with the module of each library that looks for files of its own
 */
export function places(root: string, onLibrary: (module: string) => void): Plugin {
  return {
    name: 'places',
    transform(code, id) {
      if (id.startsWith('\0')) return null;
      const isLibrary = id.includes(MODULES);
      const pattern = isLibrary ? /\bimport\.meta\.url\b|\b__dirname\b/g : /\bimport\.meta\.url\b/g;
      if (!pattern.test(code)) return null;
      if (isLibrary) onLibrary(id);
      const place = placeOf(id, root);
      return code.replace(pattern, (name) =>
        name === '__dirname' ? `${MARK}("folder:${dirname(place)}")` : `${MARK}("url:${place}")`,
      );
    },
    renderChunk(code, chunk) {
      const from = dirname(chunk.fileName);
      const pathTo = (place: string) => {
        const path = relative(from, place).replaceAll(sep, '/');
        return path.startsWith('.') ? path : `./${path}`;
      };
      return code.replace(MARKED, (_call, _quote, kind, place) =>
        kind === 'folder'
          ? `(import.meta.dirname + ${JSON.stringify(`/${pathTo(place)}`)})`
          : `new URL(${JSON.stringify(pathTo(place))}, import.meta.url).href`,
      );
    },
  };
}
