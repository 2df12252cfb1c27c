import { createRequire } from 'node:module';
import type { LibraryHandle } from 'koffi';

/** The C library of this process. */
export interface CLibrary {
  /** Returns whether it has a function of this name, since C libraries differ. */
  has(name: string): boolean;
  /** Returns its function of this C declaration. Throws if it has none, or if the declaration is wrong. */
  func(declaration: string): ReturnType<LibraryHandle['func']>;
  /** Returns the error number of the last call that returned -1. */
  errno(): number;
}

/** Platforms for which the service's structure sizes and flag numbers hold; on others they differ. */
const KNOWN = new Set(['linux x64', 'linux arm64']);

/** Returns the C library through koffi, or why it cannot be called. */
export function loadCLibrary(platform: string, arch: string): CLibrary | { missing: string } {
  if (!KNOWN.has(`${platform} ${arch}`))
    return { missing: `the C library of ${platform} on ${arch} is not supported` };
  try {
    return bind(createRequire(import.meta.url)('koffi') as typeof import('koffi'));
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

function bind(koffi: typeof import('koffi')): CLibrary {
  const library = koffi.load(null);
  return {
    has: (name) => {
      try {
        library.symbol(name);
        return true;
      } catch {
        // koffi throws only for a name that it does not find.
        return false;
      }
    },
    func: (declaration) => library.func(declaration),
    errno: () => koffi.errno(),
  };
}
