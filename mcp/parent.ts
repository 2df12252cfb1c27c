import { PARENT_POLL_MS } from '../src/contract/limits.js';

/** Calls `onGone` once the process `pid` has ended; checks every PARENT_POLL_MS. */
export function followParent(pid: number, onGone: () => void): void {
  const timer = setInterval(() => {
    if (isAlive(pid)) return;
    clearInterval(timer);
    onGone();
  }, PARENT_POLL_MS);
  timer.unref();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process lives, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
