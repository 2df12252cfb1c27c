import { readFileSync } from 'node:fs';

/**
 * Whether a process runs. An ended process stays a zombie until its parent reaps it; on Linux, that does not count as
 * running.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    // It has ended since, or the system has no such files.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux';
  }
}
