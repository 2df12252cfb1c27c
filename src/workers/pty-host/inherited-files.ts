import { closeSync, readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;
const LAST_STANDARD_FD = 2;

/**
 * Closes what this process has inherited beyond its standard descriptors and `keep`. Node and node-pty mark such
 * descriptors only up to the first gap after 16, so a higher one would reach every program in every terminal.
 *
 * Linux only; on macOS node-pty spawns with no descriptor but those named.
 */
export function closeInheritedFiles(keep: number | null): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > LAST_STANDARD_FD && fd !== keep && survivesExec(fd)) closeSync(fd);
  }
}

/** Node opens nothing without O_CLOEXEC: what lacks it was open before. */
function survivesExec(fd: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1');
    return (Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '', 8) & O_CLOEXEC) === 0;
  } catch {
    // The folder's own descriptor, closed by now.
    return false;
  }
}
