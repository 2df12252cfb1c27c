import { PARENT_POLL_MS } from '../src/contract/limits.js';

/** Calls `onGone` once there is no process `pid` any more. */
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
    // Another user's process is not ours to signal, but it is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
