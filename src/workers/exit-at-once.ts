import { loadCLibrary } from './c-library.js';

/**
 * Ends the process at once with code 0, as a crash would: `process.exit` waits for busy threads, and for ever if two
 * threads wait for each other. Does nothing on systems whose C library cannot be called.
 */
export function exitAtOnce(): void {
  const library = loadCLibrary(process.platform, process.arch);
  if (!('missing' in library)) library.func('void _exit(int code)')(0);
}
