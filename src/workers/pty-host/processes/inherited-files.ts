import { closeSync, readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;
const LAST_STANDARD_FD = 2;

/**
 * Closes the descriptors that this process has inherited, except standard ones and `keep`. Node and node-pty mark such
 * descriptors close-on-exec only up to the first gap after 16, so a higher one would reach every program in every
 * terminal.
 *
 * Linux only; on macOS node-pty spawns with only the descriptors that it names.
 */
export function closeInheritedFiles(keep: ReadonlySet<number>): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > LAST_STANDARD_FD && !keep.has(fd) && survivesExec(fd)) closeSync(fd);
  }
}

/** Returns whether a descriptor lacks O_CLOEXEC, and so is inherited: Node opens nothing without this flag. */
function survivesExec(fd: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1');
    return (Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '', 8) & O_CLOEXEC) === 0;
  } catch {
    // The folder's own descriptor, closed by now.
    return false;
  }
}
