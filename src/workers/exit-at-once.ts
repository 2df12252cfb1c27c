import { loadCLibrary } from './c-library.js';

/**
 * Ends the process at once with code 0, as a crash would: `process.exit` waits for threads in the midst of work, also for
 * those that wait for each other. Returns where the system has no such call.
 */
export function exitAtOnce(): void {
  const library = loadCLibrary(process.platform, process.arch);
  if (!('missing' in library)) library.func('void _exit(int code)')(0);
}
