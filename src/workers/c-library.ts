import { createRequire } from 'node:module';
import type { LibraryHandle } from 'koffi';

/** The C library that this process runs with. */
export interface CLibrary {
  /** Whether it has a function of this name: not each of them has all. */
  has(name: string): boolean;
  /** Its function of this declaration in C; throws where it has none, or where the declaration is wrong. */
  func(declaration: string): ReturnType<LibraryHandle['func']>;
  /** The number of the error of the last call that answered -1. */
  errno(): number;
}

/** What the service's structures are sized and its flags numbered for: those of others differ. */
const KNOWN = new Set(['linux x64', 'linux arm64']);

/** The C library, by way of koffi; or in words why it can not be called. */
export function loadCLibrary(platform: string, arch: string): CLibrary | { missing: string } {
  if (!KNOWN.has(`${platform} ${arch}`)) return { missing: `nothing is known of ${platform} on ${arch}` };
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
        // A name that is not found is all that it throws for.
        return false;
      }
    },
    func: (declaration) => library.func(declaration),
    errno: () => koffi.errno(),
  };
}
