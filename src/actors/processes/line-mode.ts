import { closeSync, constants, openSync, readlinkSync } from 'node:fs';
import { loadCLibrary } from '../../workers/c-library.js';
import { TERMIOS_BYTES, takesLines } from '../../workers/termios.js';

const { O_RDONLY, O_NOCTTY, O_NONBLOCK } = constants;

/**
 * Returns whether the terminal that a process has as its standard input hands out its input line by line (canonical
 * mode, see termios(3)); undefined where that cannot be found out.
 */
export type IsInLineMode = (pid: number) => boolean | undefined;

/** Returns the function for this machine. */
export function lineModes(platform: string = process.platform, arch: string = process.arch): IsInLineMode {
  const library = loadCLibrary(platform, arch);
  if ('missing' in library) return () => undefined;
  const tcgetattr = library.func('int tcgetattr(int fd, void *termios)');
  const termios = Buffer.alloc(TERMIOS_BYTES);
  return (pid) => {
    const fd = openTerminalOf(pid);
    if (fd === undefined) return undefined;
    try {
      return tcgetattr(fd, termios) === 0 ? takesLines(termios) : undefined;
    } finally {
      closeSync(fd);
    }
  };
}

/** Opens the terminal that is the standard input of a process; undefined if it has none, has ended, or is another user's. */
function openTerminalOf(pid: number): number | undefined {
  try {
    const path = readlinkSync(`/proc/${pid}/fd/0`);
    return path.startsWith('/dev/pts/') ? openSync(path, O_RDONLY | O_NOCTTY | O_NONBLOCK) : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
}
